#include "core/graph/topology.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/counted.hpp"

namespace ddl::graph {
namespace {

constexpr std::size_t most_edges = 20'000;  // beyond, run.json would be too large to be read as a scenario

std::string cited(const std::string& name) { return "\"" + name + "\""; }
std::string cited(GraphKind kind) { return cited(std::string(name_of(kind))); }

// Checks the graph of one round.
class Checker {
 public:
  Checker(std::string path, int nodes, std::span<const std::string> names, const GraphNeeds& needs,
          std::vector<GraphError>& errors)
      : path_(std::move(path)), nodes_(nodes), names_(names), needs_(needs), errors_(errors) {}

  void check(const GraphObject& graph) {
    if (graph.type.has_value() == graph.edges.has_value()) {
      return add("", "has " + std::string(graph.type ? "both" : "neither") + " \"type\" and \"edges\"; expected one");
    }
    if (graph.type) check_kind(graph);
    if (graph.edges) check_edges(graph);
  }

 private:
  void add(const std::string& key, const std::string& what) { errors_.push_back({path_ + key, what}); }

  void check_kind(const GraphObject& graph) {
    const std::string wrong = degree_error(*graph.type, graph.degree, nodes_);
    if (!wrong.empty()) add(".degree", wrong);
    if (graph.type == GraphKind::erdos_renyi && graph.probability == 0.0) {
      add(".probability", "0 leaves pairs unconnected; expected more");
    }
  }

  void check_edges(const GraphObject& graph) {
    if (graph.directed && !needs_.pushes) {
      add(".directed", "true, but models are averaged both ways; expected false, or algorithm \"sgp\"");
    }
    const std::vector<Edge> edges = graph.edges->list();
    if (edges.size() > most_edges) {
      return add(".edges", "has " + std::to_string(edges.size()) + " edges; expected at most " +
                               with_separators(std::to_string(most_edges)));
    }
    std::map<std::pair<std::string, std::string>, std::optional<double>> seen;
    std::map<std::string, double> given;  // by each of its weights
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Edge& edge = edges[i];
      const std::string key = ".edges[" + std::to_string(i) + "]";
      if (!is_pair(*graph.edges, i)) return add(key, "is no pair; expected two hosts");
      for (const std::string& name : {edge.from, edge.to}) {
        if (!names_.empty() && std::ranges::find(names_, name) == names_.end()) {
          return add(key, cited(name) + " is no worker; expected the name of a worker's host");
        }
      }
      if (edge.from == edge.to) return add(key, "joins " + cited(edge.from) + " with itself; expected two hosts");
      std::pair<std::string, std::string> pair{edge.from, edge.to};
      if (!graph.directed && edge.to < edge.from) std::swap(pair.first, pair.second);
      const auto [other, fresh] = seen.try_emplace(pair, edge.weight);
      if (!fresh) {
        const bool asymmetric = !graph.directed && other->second != edge.weight;
        return add(key, cited(edge.from) + " and " + cited(edge.to) + " are joined before" +
                            (asymmetric ? ", with another weight; expected one, for it holds both ways"
                                        : "; expected each edge once"));
      }
      if (edge.weight.has_value() != edges.front().weight.has_value()) {
        return add(key, "has " + std::string(edge.weight ? "a" : "no") +
                            " weight, unlike the first; expected one at each edge, or at none");
      }
      if (edge.weight && !needs_.weights) return add(key, "has a weight, which means nothing here; expected none");
      given[edge.from] += edge.weight.value_or(0);
      if (!graph.directed) given[edge.to] += edge.weight.value_or(0);
    }
    constexpr double rounding = 1e-9;
    for (const auto& [name, sum] : given) {
      const bool too_much = needs_.pushes ? sum > 1 - rounding : sum > 1 + rounding;
      if (!too_much) continue;
      add(".edges", "give " + std::to_string(sum) + " away at " + cited(name) + "; expected " +
                        (needs_.pushes ? "less than 1" : "at most 1") + ", for the rest is its own");
    }
  }

  // True if element i of the edges is a pair.
  static bool is_pair(const Edges& edges, std::size_t i) {
    const auto* pairs = std::get_if<Edges::Pairs>(&edges.are);
    return pairs == nullptr || (*pairs)[i].size() == 2;
  }

  const std::string path_;
  const int nodes_;
  const std::span<const std::string> names_;
  const GraphNeeds& needs_;
  std::vector<GraphError>& errors_;
};

// Names that cannot be reached from the first, or from which it cannot be; "" if there is none.
std::string apart(const std::vector<GraphObject>& rounds, std::span<const std::string> names) {
  std::map<std::string, std::set<std::string>> ahead, back;
  for (const GraphObject& graph : rounds) {
    for (const Edge& edge : graph.edges->list()) {
      ahead[edge.from].insert(edge.to);
      back[edge.to].insert(edge.from);
      if (graph.directed) continue;
      ahead[edge.to].insert(edge.from);
      back[edge.from].insert(edge.to);
    }
  }
  for (auto* arcs : {&ahead, &back}) {
    std::set<std::string> reached = {names.front()};
    std::vector<std::string> open = {names.front()};
    while (!open.empty()) {
      const std::string name = open.back();
      open.pop_back();
      for (const std::string& next : (*arcs)[name]) {
        if (reached.insert(next).second) open.push_back(next);
      }
    }
    for (const std::string& name : names) {
      if (!reached.contains(name)) return name;
    }
  }
  return "";
}

}  // namespace

bool is_undirected(GraphKind kind) {
  return kind != GraphKind::directed_ring && kind != GraphKind::exponential && kind != GraphKind::one_peer_exponential;
}

bool is_drawn(GraphKind kind) {
  return kind == GraphKind::random_regular || kind == GraphKind::small_world || kind == GraphKind::erdos_renyi;
}

bool is_regular(GraphKind kind) {
  switch (kind) {
    case GraphKind::line:
    case GraphKind::star:
    case GraphKind::grid:
    case GraphKind::hierarchical:
    case GraphKind::small_world:
    case GraphKind::erdos_renyi:
      return false;
    default:
      return true;
  }
}

std::vector<Edge> Edges::list() const {
  if (const auto* edges = std::get_if<std::vector<Edge>>(&are)) return *edges;
  std::vector<Edge> list;
  if (const auto* pairs = std::get_if<Pairs>(&are)) {
    for (const auto& pair : *pairs) {
      list.push_back({pair.empty() ? "" : pair.front(), pair.empty() ? "" : pair.back(), std::nullopt});
    }
  }
  return list;
}

std::vector<GraphObject> Topology::rounds(std::optional<int> degree) const {
  const auto named = [&](GraphKind kind) {
    GraphObject graph;
    graph.type = kind;
    if (kind == GraphKind::random_regular) graph.degree = degree;
    return graph;
  };
  if (const auto* kind = std::get_if<GraphKind>(&is)) return {named(*kind)};
  if (const auto* graph = std::get_if<GraphObject>(&is)) return {*graph};
  std::vector<GraphObject> all;
  for (const OneGraph& graph : std::get<std::vector<OneGraph>>(is)) {
    const auto* kind = std::get_if<GraphKind>(&graph.is);
    all.push_back(kind != nullptr ? named(*kind) : std::get<GraphObject>(graph.is));
  }
  return all;
}

void fill_defaults(GraphObject& graph, int nodes) {
  if (graph.edges) graph.edges->are = graph.edges->list();
  if (!graph.type) return;
  if (graph.type == GraphKind::hierarchical && !graph.group)
    graph.group = static_cast<int>(std::lround(std::sqrt(nodes)));
  if (graph.type == GraphKind::small_world && nodes >= 3) {
    if (!graph.degree) graph.degree = std::min(4, (nodes - 1) / 2 * 2);  // or as many as there are
    if (!graph.probability) graph.probability = 0.1;
  }
  if (graph.type == GraphKind::erdos_renyi && !graph.probability) {
    graph.probability = nodes < 3 ? 1 : std::min(1.0, 2 * std::log(nodes) / nodes);
  }
}

namespace {

template <class Form>
void fill_form(Form& form, int nodes) {
  auto* graph = std::get_if<GraphObject>(&form);
  const auto* kind = std::get_if<GraphKind>(&form);
  if (kind != nullptr && *kind != GraphKind::random_regular) {  // its degree may be beside it
    GraphObject named;
    named.type = *kind;
    graph = &form.template emplace<GraphObject>(std::move(named));
  }
  if (graph == nullptr) return;
  fill_defaults(*graph, nodes);
  GraphObject bare;
  bare.type = graph->type;
  if (graph->type && *graph == bare) form = *bare.type;
}

}  // namespace

void fill_defaults(Topology& topology, int nodes) {
  fill_form(topology.is, nodes);
  auto* rounds = std::get_if<std::vector<OneGraph>>(&topology.is);
  if (rounds == nullptr) return;
  for (OneGraph& graph : *rounds) fill_form(graph.is, nodes);
}

std::string degree_error(GraphKind kind, std::optional<int> degree, int nodes) {
  const std::string name = cited(kind);
  if (kind != GraphKind::random_regular && kind != GraphKind::small_world) {
    return degree ? name + " has a degree of its own; expected no such key, or topology \"random_regular\"" : "";
  }
  if (!degree) return kind == GraphKind::small_world ? "" : "is missing; " + name + " needs one";
  const std::string given = std::to_string(*degree) + " neighbours for each of " + std::to_string(nodes) + " workers";
  if (*degree >= nodes) return given + "; expected at most " + std::to_string(nodes - 1);
  if (kind == GraphKind::small_world) {
    return *degree % 2 == 1 ? given + " on a ring are not as many on both sides; expected an even degree" : "";
  }
  if (*degree % 2 == 1 && nodes % 2 == 1) return given + " is an odd number of ends; expected an even degree";
  if (*degree == 1 && nodes > 2) return given + " leaves pairs unconnected; expected at least 2";
  return "";
}

std::vector<GraphError> errors_in(const Topology& topology, std::optional<int> degree, int nodes,
                                  std::span<const std::string> names, const GraphNeeds& needs) {
  std::vector<GraphError> errors;
  if (const auto* kind = std::get_if<GraphKind>(&topology.is)) {
    const std::string wrong =
        *kind == GraphKind::small_world && degree
            ? "is given, but \"small_world\" has its own; expected it beside the type, {\"type\": ...}"
            : degree_error(*kind, degree, nodes);
    if (!wrong.empty()) errors.push_back({"degree", wrong});
  }
  const std::vector<GraphObject> rounds = topology.rounds(degree);
  const bool is_list = std::holds_alternative<std::vector<OneGraph>>(topology.is);
  if (!std::holds_alternative<GraphKind>(topology.is)) {
    const auto takes_degree = [](const GraphObject& graph) { return graph.type == GraphKind::random_regular; };
    if (degree && !(is_list && std::ranges::any_of(rounds, takes_degree))) {
      errors.push_back({"degree", "is given beside a topology that has its own; expected no such key"});
    }
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const std::string path = is_list ? "topology[" + std::to_string(i) + "]" : "topology";
      Checker(path, nodes, names, needs, errors).check(rounds[i]);
      if (is_list && rounds[i].type == GraphKind::one_peer_exponential) {
        errors.push_back({path, "changes from round to round by itself; expected it without a list"});
      }
    }
  }
  const auto changes = [](const GraphObject& graph) { return graph.type && !is_undirected(*graph.type); };
  if (*needs.undirected != '\0' && (is_list || std::ranges::any_of(rounds, changes))) {
    const std::string which = is_list ? "a list" : cited(*rounds.front().type);
    errors.push_back({"topology", which + " is directed or changes, and " + needs.undirected +
                                      "; expected an undirected graph such as \"ring\""});
  }
  const bool all_own = std::ranges::all_of(rounds, [](const GraphObject& graph) { return graph.edges.has_value(); });
  if (errors.empty() && all_own && !names.empty()) {
    if (const std::string name = apart(rounds, names); !name.empty()) {
      errors.push_back({"topology", "leaves " + cited(name) + " apart from " + cited(names.front()) +
                                        "; expected edges that join all workers" +
                                        (is_list ? ", over all rounds" : "")});
    }
  }
  return errors;
}

}  // namespace ddl::graph
