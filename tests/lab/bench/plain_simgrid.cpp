// The messages of three training systems on SimGrid alone: the simulator's cost without the program above it.
//
//   plain_simgrid ps_sync|d_psgd|gossip WORKERS ROUNDS Full|Lazy
//
// Same star, sizes, compute times (100 ms, log-normal jitter of 0.1) and network model as MessageBench's runs. Prints
// messages, simulated seconds, processor seconds and peak memory in MB.
#include <sys/resource.h>
#include <xbt/log.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/platform/simgrid_api.hpp"

namespace {

namespace sg = simgrid::s4u;
namespace api = ddl::simgrid_api;

constexpr double model_bytes = 1e6, host_speed = 50e9, compute_s = 0.1, jitter = 0.1;

struct Run {
  int workers = 0, rounds = 0;
  std::vector<sg::Host*> hosts;  // workers, then a server
  std::vector<sg::Mailbox*> boxes, replies;
  std::vector<std::vector<int>> neighbours;
  long messages = 0;
  int token = 0;  // the payload
};

void add_host(std::FILE* platform, const std::string& name, double bandwidth) {
  const char* const id = name.c_str();
  std::fprintf(platform, "<host id='%s' speed='%ff'/>\n", id, host_speed);
  std::fprintf(platform, "<link id='%s' bandwidth='%fBps' latency='500us' sharing_policy='SPLITDUPLEX'/>\n", id,
               bandwidth);
  std::fprintf(platform, "<host_link id='%s' up='%s_UP' down='%s_DOWN'/>\n", id, id, id);
}

// A star of the workers, and a server where the pattern has one.
void make_hosts(sg::Engine& engine, Run& run, bool with_server) {
  std::vector<std::string> names;
  for (int worker = 0; worker < run.workers; ++worker) names.push_back("w" + std::to_string(worker));
  std::FILE* const platform = std::tmpfile();
  std::fputs("<?xml version='1.0'?><!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>", platform);
  std::fputs("<platform version='4.1'><zone id='star' routing='Cluster'>\n", platform);
  for (const std::string& name : names) add_host(platform, name, 12.5e6);
  if (with_server) add_host(platform, names.emplace_back("ps0"), 1.25e9);
  std::fputs("</zone></platform>\n", platform);
  std::fflush(platform);
  engine.load_platform("/proc/self/fd/" + std::to_string(fileno(platform)));
  std::fclose(platform);
  for (const std::string& name : names) {
    run.hosts.push_back(engine.host_by_name(name));
    run.boxes.push_back(sg::Mailbox::by_name(name));
    run.replies.push_back(sg::Mailbox::by_name(name + " reply"));
  }
}

void compute(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  sg::this_actor::execute(host_speed * compute_s * std::exp(jitter * normal(random) - jitter * jitter / 2));
}

sg::CommPtr send(Run& run, sg::Mailbox* to, double bytes) {
  ++run.messages;
  return to->put_async(&run.token, static_cast<std::uint64_t>(bytes));
}

// Messages set off when they are sent, not when an actor waits for them.
void listen(sg::Mailbox* box) { box->set_receiver(sg::Actor::self()); }

void ps_worker(Run& run, int id) {
  listen(run.boxes[static_cast<std::size_t>(id)]);
  std::mt19937_64 random(static_cast<unsigned long>(id));
  sg::Mailbox* const server = run.boxes.back();
  for (int round = 0; round < run.rounds; ++round) {
    run.boxes[static_cast<std::size_t>(id)]->get<int>();
    compute(random);
    send(run, server, model_bytes)->wait();
    send(run, server, 0)->wait();  // asks for the next weights
  }
}

void ps_server(Run& run) {
  listen(run.boxes.back());
  for (int round = 0; round < run.rounds; ++round) {
    std::vector<sg::CommPtr> sent;
    for (int worker = 0; worker < run.workers; ++worker) {
      sent.push_back(send(run, run.boxes[static_cast<std::size_t>(worker)], model_bytes));
    }
    for (int message = 0; message < 2 * run.workers; ++message) run.boxes.back()->get<int>();
    for (const auto& comm : sent) comm->wait();
  }
}

void d_psgd_worker(Run& run, int id) {
  listen(run.boxes[static_cast<std::size_t>(id)]);
  std::mt19937_64 random(static_cast<unsigned long>(id));
  const auto& neighbours = run.neighbours[static_cast<std::size_t>(id)];
  for (int round = 0; round < run.rounds; ++round) {
    compute(random);
    std::vector<sg::CommPtr> sent;
    for (const int to : neighbours) sent.push_back(send(run, run.boxes[static_cast<std::size_t>(to)], model_bytes));
    std::vector<int*> got(neighbours.size());
    std::vector<sg::CommPtr> receiving;
    for (int*& value : got) receiving.push_back(run.boxes[static_cast<std::size_t>(id)]->get_async<int>(&value));
    for (const auto& comm : receiving) comm->wait();
    for (const auto& comm : sent) comm->wait();
  }
}

void gossip_server(Run& run, int id) {
  listen(run.boxes[static_cast<std::size_t>(id)]);
  while (true) {
    const int asker = *run.boxes[static_cast<std::size_t>(id)]->get<int>();
    ++run.messages;
    run.replies[static_cast<std::size_t>(asker)]
        ->put_init(&run.token, static_cast<std::uint64_t>(model_bytes))
        ->detach();
  }
}

void gossip_worker(Run& run, int id) {
  listen(run.replies[static_cast<std::size_t>(id)]);
  std::mt19937_64 random(static_cast<unsigned long>(id));
  int own = id;
  for (int round = 0; round < run.rounds; ++round) {
    compute(random);
    const int peer = (id + 1 + static_cast<int>(random() % static_cast<unsigned long>(run.workers - 1))) % run.workers;
    ++run.messages;
    run.boxes[static_cast<std::size_t>(peer)]->put(&own, 0);
    run.replies[static_cast<std::size_t>(id)]->get<int>();
  }
}

// Two random circles through all workers: four neighbours each.
std::vector<std::vector<int>> random_neighbours(int workers) {
  std::mt19937_64 random(1);
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(workers));
  for (int circle = 0; circle < 2; ++circle) {
    std::vector<int> order(static_cast<std::size_t>(workers));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int a = order[i], b = order[(i + 1) % order.size()];
      neighbours[static_cast<std::size_t>(a)].push_back(b);
      neighbours[static_cast<std::size_t>(b)].push_back(a);
    }
  }
  return neighbours;
}

void start(Run& run, const std::string& pattern) {
  for (int id = 0; id < run.workers; ++id) {
    sg::Host* const host = run.hosts[static_cast<std::size_t>(id)];
    if (pattern == "ps_sync") api::add_actor("worker", host, [&run, id] { ps_worker(run, id); });
    if (pattern == "d_psgd") api::add_actor("worker", host, [&run, id] { d_psgd_worker(run, id); });
    if (pattern != "gossip") continue;
    api::add_actor("worker", host, [&run, id] { gossip_worker(run, id); });
    api::add_actor("server", host, [&run, id] { gossip_server(run, id); })->daemonize();
  }
  if (pattern == "ps_sync") api::add_actor("server", run.hosts.back(), [&run] { ps_server(run); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "plain_simgrid ps_sync|d_psgd|gossip WORKERS ROUNDS Full|Lazy\n"), 2;
  const std::string pattern = argv[1], solver = argv[4];
  xbt_log_control_set("root.thres:critical");
  sg::Engine engine(&argc, argv);
  sg::Engine::set_config("contexts/stack-size", 128);
  sg::Engine::set_config("network/optim", solver);
  sg::Engine::set_config("network/crosstraffic", true);
  Run run{.workers = std::atoi(argv[2]),
          .rounds = std::atoi(argv[3]),
          .hosts = {},
          .boxes = {},
          .replies = {},
          .neighbours = {}};
  make_hosts(engine, run, pattern == "ps_sync");
  if (pattern == "d_psgd") run.neighbours = random_neighbours(run.workers);
  start(run, pattern);
  engine.run();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  std::printf("%ld %.6f %.3f %.1f\n", run.messages, sg::Engine::get_clock(),
              seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024);
}
