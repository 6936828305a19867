// Three flows over links of 10 MB/s, one of which carries 15 MB/s under SimGrid's default update.
//   g++ -std=c++17 lazy_update.cpp -lsimgrid && ./a.out Lazy && ./a.out Full
#include <cstdio>
#include <fstream>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <string>
namespace sg = simgrid::s4u;

const char* const platform = R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="star" routing="Full">
    <host id="a" speed="1Gf"/> <host id="b" speed="1Gf"/> <host id="c" speed="1Gf"/> <host id="d" speed="1Gf"/>
    <link id="out of a" bandwidth="10MBps" latency="5ms"/> <link id="into b" bandwidth="10MBps" latency="5ms"/>
    <link id="into c" bandwidth="10MBps" latency="5ms"/> <link id="out of d" bandwidth="10MBps" latency="5ms"/>
    <route src="a" dst="b"><link_ctn id="out of a"/><link_ctn id="into b"/></route>
    <route src="a" dst="c"><link_ctn id="out of a"/><link_ctn id="into c"/></route>
    <route src="d" dst="c"><link_ctn id="out of d"/><link_ctn id="into c"/></route>
  </zone>
</platform>)";

void send() {
  const auto comm = [](const char* from, const char* to, unsigned bytes) {
    return sg::Comm::sendto_async(sg::Host::by_name(from), sg::Host::by_name(to), bytes);
  };
  const auto dc = comm("d", "c", 100'000'000);
  sg::this_actor::sleep_until(1);  // from 0.01 to 1.01 s it is alone, and 10 MB get through
  const auto ab = comm("a", "b", 10'000'000), ac = comm("a", "c", 10'000'000);
  sg::this_actor::sleep_until(2.01);  // a second after these two have paid their latency
  const double to_b = 10 - ab->get_remaining() / 1e6, to_c = 10 - ac->get_remaining() / 1e6;
  const double d_to_c = 90 - dc->get_remaining() / 1e6;
  std::printf("MB/s: a to b %.3f, a to c %.3f, d to c %.3f; into c %.3f\n", to_b, to_c, d_to_c, to_c + d_to_c);
  for (const auto& one : {dc, ab, ac}) one->cancel();
}

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/optim:" + std::string(argc > 1 ? argv[1] : "Lazy"));
  std::ofstream("lazy_update.xml") << platform;
  engine.load_platform("lazy_update.xml");
#if SIMGRID_VERSION >= 40000
  engine.add_actor("sender", sg::Host::by_name("a"), send);
#else
  sg::Actor::create("sender", sg::Host::by_name("a"), send);
#endif
  engine.run();
}
