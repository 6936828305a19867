# What the commands of transcripts may use: the program, and files of data.
PATH="$(dirname "$DDLSIM"):$PATH"
export PATH DDLSIM SOURCE

# $2 images and labels in MNIST's format in $1-images-idx3-ubyte and $1-labels-idx1-ubyte, black but for the first pixel.
idx() {
  size=$(printf '\\0\\0\\%03o\\%03o' $(($2 / 256)) $(($2 % 256)))
  { printf "\\0\\0\\010\\003$size\\0\\0\\0\\034\\0\\0\\0\\034\\00${3:-0}"; head -c $(($2 * 784 - 1)) /dev/zero; } \
    >"$1-images-idx3-ubyte"
  { printf "\\0\\0\\010\\001$size"; for ten in $(seq $(($2 / 10))); do printf '\0\1\2\3\4\5\6\7\010\011'; done; } \
    >"$1-labels-idx1-ubyte"
}

# MNIST's four files of 30 images in the folder $1, of which $2 is the first pixel of those to train on.
mnist() {
  mkdir -p "$1" && idx "$1/train" 30 "$2" && idx "$1/t10k" 30
}

# A scenario of the system $1 on the platform $2, and in pair.xml, unless it is there, two hosts 1 MB/s apart.
on_pair() {
  [ -e pair.xml ] || cat >pair.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="w0" speed="1Gf"/>
    <host id="w1" speed="1Gf"/>
    <link id="l" bandwidth="1MBps" latency="0ms" sharing_policy="FATPIPE"/>
    <route src="w0" dst="w1"><link_ctn id="l"/></route>
  </zone>
</platform>
END
  cat <<END
{ "platform": { $2 }, "model": "none", "wire": { "model_bytes": "1MB" },
  "compute": { "seconds_per_batch": "100ms", "jitter": 0 }, "algorithm": "$1", "stop": { "iterations": 5 } }
END
}

# One step of one worker: 100 MB over 1 MB/s to it, a gradient of a second, 100 MB back, with a second's latency each.
one_step() {
  cat <<'END'
{ "platform": { "workers": 1, "servers": 1, "bandwidth": "8Mbps", "latency": "1s", "network": { "model": "CM02" } },
  "model": "none", "wire": { "model_bytes": "100MB" }, "compute": { "seconds_per_batch": "1s", "jitter": 0 },
  "algorithm": "ps_async", "stop": { "iterations": 1 } }
END
}

# Two workers and a server, which learn and are evaluated.
learning_scenario() {
  cat <<'END'
{ "platform": { "workers": 2, "servers": 1, "bandwidth": "40Mbps" }, "data": { "train": 200, "test": 50 },
  "model": "softmax", "wire": { "model_bytes": "1MB" }, "compute": { "seconds_per_batch": "100ms" },
  "algorithm": "ps_async", "stop": { "iterations": 20 },
  "evaluate": { "every_iterations": 4, "target_accuracy": [0.1] } }
END
}

# Convolutions, dense layers and Adam, of sizes that OpenBLAS would take on in native mode.
many_layers() {
  cat <<'END'
{ "platform": { "workers": 2, "bandwidth": "1Gbps" }, "data": { "train": 300, "test": 60 },
  "model": { "layers": [ { "type": "conv", "filters": 20, "kernel": 5 }, "relu", { "type": "max_pool" },
                         { "type": "conv", "filters": 33, "kernel": 3 }, "tanh",
                         { "type": "conv", "filters": 32, "kernel": 3 }, { "type": "conv", "filters": 40, "kernel": 3 },
                         { "type": "flatten" }, { "type": "dense", "units": 70 }, "relu", { "type": "dropout" },
                         { "type": "dense", "units": 10 } ] },
  "training": { "batch_size": 20, "optimizer": "adam" }, "compute": { "seconds_per_batch": "100ms" },
  "algorithm": "ako", "stop": { "iterations": 2 } }
END
}

# Two workers whose network is too slow to be of use.
learner() {
  cat <<'END'
{ "platform": { "workers": 2, "bandwidth": "1Mbps" }, "model": "softmax", "data": { "train": 400, "test": 100 },
  "wire": { "model_bytes": "10MB" },
  "training": { "batch_size": 20, "optimizer": { "type": "sgd", "learning_rate": 0.1 } },
  "compute": { "seconds_per_batch": "100ms", "jitter": 0 }, "algorithm": "gossip", "stop": { "time": "2s" },
  "evaluate": { "every": "200ms" } }
END
}

# A profile of the worker's link with $1.
bandwidth() { echo "{\"quantity\":\"bandwidth\",\"link\":\"w0\",$1}"; }

# Two hosts, the second with the attributes $1, whose links in both directions are the file's own, as it writes them:
# 1 MB/s out of each host. $2 is its <config>.
two_hosts() {
  cat <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">$2
  <zone id="z" routing="Full">
    <host id="w0" speed="1Gf"/><host id="w1" $1/>
    <link id="w0_UP" bandwidth="1MBps" latency="1ms"/><link id="w0_DOWN" bandwidth="2MBps" latency="1ms"/>
    <link id="w1_UP" bandwidth="1MBps" latency="1ms"/><link id="w1_DOWN" bandwidth="4MBps" latency="1ms"/>
    <route src="w0" dst="w1" symmetrical="NO"><link_ctn id="w0_UP"/><link_ctn id="w1_DOWN"/></route>
    <route src="w1" dst="w0" symmetrical="NO"><link_ctn id="w1_UP"/><link_ctn id="w0_DOWN"/></route>
  </zone>
</platform>
END
}

# When the last step of the result in $1 ended; the farewells of a group follow.
last_end() { awk -F, 'NR > 1 && $6 > last { last = $6 } END { printf "%.17g", last }' "$1/iterations.csv"; }

# Whether two numbers are one but for rounding.
near() { awk "BEGIN { a = $1; b = $2; exit !(a - b < 1e-9 * b && b - a < 1e-9 * b) }"; }

# The program with $2, interrupted by Ctrl-C once a file matches the pattern $1. A program that ends before that, or has
# not ended after five minutes, is waited for no longer. In the background a shell ignores SIGINT, hence the handler that
# is put back.
interrupted_once() {
  timeout --foreground -s KILL 300 env --default-signal=INT "$DDLSIM" $2 &
  pid=$!
  until ls $1 >/dev/null 2>&1 || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
  kill -INT $pid
  wait $pid
}

# model.sh MODE: in a few lines of shell, a program that ddlsim can ask for gradients of two weights, always (1, 1); and
# own.json, in which two workers take three steps with it. MODE says where it does something wrong.
own_model() {
  cat >model.sh <<'END'
mode=$1
is() { [ "$mode" = "$1" ]; }
put() { printf "$1" | dd of=/proc/self/fd/3 bs=1 seek=${2:-8} conv=notrunc 2>/dev/null; }
echo 'at work' >&2
while read -r line; do
  case $line in
  *'"do":"hello"'*)
    is dies_at_once && { echo 'no data' >&2; exit 7; }
    is babbles_at_once && echo 'Loading data ...'
    is other_version && echo '{"protocol":2}'
    is no_tensors && echo '{"protocol":1,"train":40,"test":10}'
    is bad_tensor && echo '{"protocol":1,"tensors":[["w",2]],"train":40,"test":10}'
    is no_samples && echo '{"protocol":1,"tensors":[["w",[2]]],"train":0,"test":10}'
    is hangs_at_once && sleep 986543
    is versioned && version=",\"version\":\"$(cat data)\""
    is labelled && labels=',"labels":[0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1]'
    { is frozen || is frozen_wrongly; } && labels=',"frozen":[["b.v",[1]],["c",[]]]'
    is frozen_twice && labels=',"frozen":[["a.w",[1]]]'
    is nothing_trained && echo '{"protocol":1,"tensors":[],"train":40,"test":10}'
    echo '{"protocol":1,"tensors":[["a.w",[1]],["b.w",[1]]],"train":40,"test":10'"$labels$version}" ;;
  *'"do":"frozen"'*)
    put '\0\0\200\077\0\0\0\100' 16
    is frozen_wrongly && echo '{"did":"frozen","values":3}'
    echo '{"did":"frozen","values":2}' ;;
  *'"do":"initial"'*)
    put '\0\0\0\0\0\0\0\0'
    is nan_at_first && put '\0\0\300\177\0\0\0\0'
    is grown && put '\0\100\034\106\0\0\0\0' # 10,000
    echo '{"did":"initial","values":2}' ;;
  *'"do":"gradient"'*)
    touch asked
    is dies && { echo 'ValueError: no such sample' >&2; exit 1; }
    is is_killed && kill -9 $$
    is hangs && sleep 986543
    is floods && yes 'warning 986543' >&2
    is leaves_others && { sleep 986543 & exit 0; }
    is babbles && echo 'epoch 1'
    is forgets && { echo '{"did":"initial","values":2}'; continue; }
    is counts_wrong && { echo '{"did":"gradient","loss":1,"values":3}'; continue; }
    is no_loss && { echo '{"did":"gradient","values":2}'; continue; }
    { is nan_loss || is grown; } && { echo '{"did":"gradient","loss":null,"values":2}'; continue; }
    is nan_gradient && put '\0\0\300\177\0\0\0\0' || put '\0\0\200\077\0\0\200\077'
    echo '{"did":"gradient","loss":1,"values":2}' ;;
  *'"do":"evaluate"'*)
    is judges_nothing && { echo '{"did":"evaluate"}'; continue; }
    is loss_alone && { echo '{"did":"evaluate","loss":1.5}'; continue; }
    is accuracy_alone && { echo '{"did":"evaluate","accuracy":0.5}'; continue; }
    is over_one && { echo '{"did":"evaluate","loss":1.5,"accuracy":50}'; continue; }
    echo '{"did":"evaluate","loss":1.5,"accuracy":0.5}' ;;
  esac
done
END
  cat >own.json <<END
{ "platform": { "workers": 2, "bandwidth": "40Mbps", "network": { "model": "CM02" } },
  "model": { "command": ["sh", "model.sh", "$1"], "timeout": "2s" },
  "training": { "batch_size": 4, "optimizer": { "type": "sgd", "learning_rate": 0.5 } },
  "compute": { "seconds_per_batch": "100ms", "jitter": 0 }, "algorithm": "ring_allreduce", "stop": { "iterations": 3 } }
END
}

# Whether anything runs that a model's program may have left behind.
left_behind() { [ -n "$(grep -lz '98654[3]' /proc/[0-9]*/cmdline 2>/dev/null)" ]; }
