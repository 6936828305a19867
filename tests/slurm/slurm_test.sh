#!/bin/sh
# A Slurm cluster of this one machine in a temporary folder: the same sweep as on the machine itself, killed and taken up
# again, with a failed run, cancelled. Usage: slurm_test.sh PROGRAM. Prints "[skipped] why" where there is no Slurm, or
# where it does not come up.
set -u
program=$1
for command in slurmctld slurmd munged mungekey sbatch squeue scancel; do
  PATH=$PATH:/usr/sbin:/sbin command -v $command >/dev/null || { echo "[skipped] no $command here"; exit 0; }
done
PATH=$PATH:/usr/sbin:/sbin

work=$(mktemp -d "${TMPDIR:-/tmp}/ddlsim-slurm-XXXXXX") || exit 1
host=$(hostname -s)
daemons=
stop() {
  scancel --me --quiet >/dev/null 2>&1
  # shellcheck disable=SC2086
  [ -n "$daemons" ] && kill $daemons 2>/dev/null && wait $daemons 2>/dev/null
  cd / && rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM

fail() {
  echo "FAILED: $*"
  for log in "$work"/*.log "$work"/*.err; do echo "--- $log"; tail -n 20 "$log"; done
  exit 1
}
expect() { [ "$2" = "$3" ] || fail "$1: $2, expected $3"; }
# Waits at most a minute for a command to succeed.
await() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || fail "waited in vain for: $*"
    sleep 0.2
  done
}
free_port() { # from the process's own number up
  port=$1
  while grep -qi ":$(printf %04x "$port") " /proc/net/tcp /proc/net/tcp6 2>/dev/null; do port=$((port + 1)); done
  echo "$port"
}

# A machine on which no cluster comes up (a container without the rights, say) tells nothing about sweeps.
no_cluster() {
  echo "[skipped] Slurm does not come up here: $*"
  exit 0
}
await_start() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || no_cluster "$*"
    sleep 0.2
  done
}

cd "$work" || exit 1
chmod 755 "$work"
mkdir state spool
mungekey --create --keyfile="$work/munge.key" || no_cluster "no munge key"
chmod 600 munge.key
munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
  --log-file="$work/munged.log" --seed-file="$work/munged.seed" --num-threads=2 >munged.out 2>&1 &
daemons="$daemons $!"
controller_port=$(free_port $((20000 + $$ % 20000)))
node_port=$(free_port $((controller_port + 1)))
cat >slurm.conf <<CONF
ClusterName=ddlsim
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
KillWait=1
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1,default_queue_depth=1000
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP
CONF
export SLURM_CONF="$work/slurm.conf"
await_start munge --socket="$work/munge.socket" --no-input
slurmctld -D -f slurm.conf >slurmctld.out 2>&1 &
daemons="$daemons $!"
slurmd -D -f slurm.conf -N "$host" >slurmd.out 2>&1 &
daemons="$daemons $!"
idle() { sinfo --noheader --format=%t | grep -q '^idle$'; }
await_start idle

cat >grid.json <<'JSON'
{ "base": { "platform": { "workers": 2, "bandwidth": "40Mbps" }, "model": "none", "wire": { "model_bytes": "1MB" },
            "compute": { "seconds_per_batch": "100ms" }, "algorithm": "ako", "stop": { "iterations": 300 } },
  "vary": { "platform.bandwidth": ["40Mbps", "80Mbps"], "platform.workers": [2, 3] }, "seeds": [1, 2] }
JSON
same() { diff -r --exclude=timing.json "$1" "$2" >difference.out 2>&1 || fail "$1 and $2 differ: $(cat difference.out)"; }

"$program" sweep grid.json --out local --quiet || fail "the sweep on this machine"

start=$(date +%s)
"$program" sweep grid.json --out slurm --engine slurm >first.out 2>first.err || fail "the sweep on Slurm"
echo "8 runs as an array took $(($(date +%s) - start)) s"
same local slurm

# The waiting program is killed, with half of the runs to come: the array goes on, and the next call waits for it.
"$program" sweep grid.json --out again --engine slurm --jobs 1 --quiet --set stop.iterations=3000 2>killed.err &
waiting=$!
some_done() { [ -n "$(find again/grid -name summary.json)" ]; }
await some_done
kill -KILL $waiting
wait $waiting 2>/dev/null
[ -n "$(squeue --noheader --me)" ] || fail "the array was gone before its time"
"$program" sweep grid.json --out again --engine slurm --set stop.iterations=3000 >again.out 2>again.err ||
  fail "the sweep taken up again"
grep -q 'kept from before' again.err || fail "nothing was kept"
"$program" sweep grid.json --out unbroken --quiet --set stop.iterations=3000 || fail "the unbroken sweep"
same unbroken again

# A run that fails is told, with its reason, and the others have their results: here, the one whose data are gone by then.
mkdir mnist
for set in train t10k; do
  { printf '\0\0\010\003\0\0\0\036\0\0\0\034\0\0\0\034' && head -c $((30 * 28 * 28)) /dev/zero; } >mnist/$set-images-idx3-ubyte
  { printf '\0\0\010\001\0\0\0\036' && head -c 30 /dev/zero; } >mnist/$set-labels-idx1-ubyte
done
cat >broken.json <<'JSON'
{ "base": { "platform": { "workers": 2, "bandwidth": "40Mbps" }, "model": "softmax", "training": { "batch_size": 4 },
            "compute": { "seconds_per_batch": "100ms" }, "algorithm": "ako", "stop": { "iterations": 300 } },
  "vary": { "data": [ { "train": 100, "test": 50 }, { "source": "mnist", "path": "mnist" } ] } }
JSON
"$program" sweep broken.json --out broken --engine slurm --jobs 1 --quiet 2>broken.err &
waiting=$!
first_done() { [ -f broken/broken/.slurm/script.sh ]; }
await first_done
rm mnist/train-images-idx3-ubyte
wait $waiting
expect "exit code of a sweep with a failed run" $? 3
grep -q 'path=mnist/1: .*train-images-idx3-ubyte' broken.err || fail "the failed run was not told: $(cat broken.err)"
grep -q '1 of 2 runs failed' broken.err || fail "failed runs were not counted"
expect "rows of its table" "$(wc -l <broken/broken/sweep.csv)" 3

# Ctrl-C cancels the array.
env --default-signal=INT "$program" sweep grid.json --out cancelled --engine slurm --jobs 1 --quiet \
  --set stop.iterations=200000 2>cancelled.err &
waiting=$!
queued() { [ -n "$(squeue --noheader --me)" ]; }
await queued
kill -INT $waiting
wait $waiting
expect "exit code after Ctrl-C" $? 130
expect "what it says" "$(cut -c1-20 cancelled.err)" "ddlsim: interrupted:"
empty() { [ -z "$(squeue --noheader --me)" ]; }
await empty

"$program" sweep grid.json --out dry --engine slurm --dry-run >dry.out || fail "the dry run"
grep -q '^#SBATCH --array=0-7$' dry.out || fail "the dry run shows no script"
[ ! -e dry ] || fail "the dry run wrote something"
echo "all is well"
