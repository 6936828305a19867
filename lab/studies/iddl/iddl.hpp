// IDDL (github.com/iid2019/iddl, 2020): perceptrons and residual networks made sparse by block designs, and ensembles
// of them. Nothing in it was distributed; what sparsity is worth on a network is simulated here.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/studies/study.hpp"

namespace ddl::studies::iddl_study {

inline constexpr const char* dense = "dense";
inline constexpr const char* bibd = "BIBD";
inline constexpr const char* random = "random";
inline constexpr std::array forms = {dense, bibd, random};
inline constexpr std::array endings = {"", "-bibd", "-random"};  // of the models' names

// What the larger residual networks train on, which takes 50 epochs of 50,000 images in batches of 128 as published.
struct FewEpochs {
  int epochs, images, batch, tests;
};
constexpr FewEpochs few_epochs(const Scale& scale) {
  return scale.full ? FewEpochs{5, 50000, 128, 10000} : FewEpochs{3, 640, 16, 400};
}

inline constexpr std::array perceptrons = {"MLP-3-1", "MLP-3-2", "MLP-3-3", "MLP-3-4"};

inline constexpr const char* server = "async. PS";
inline constexpr const char* ako = "Ako P=4";

inline constexpr const char* grouped = "grouped";
inline constexpr const char* bibd_grouped = "BIBD, grouped";
inline constexpr const char* own_classifiers = "grouped, own classifiers";
inline constexpr std::array exits = {"first", "second", "end"};

inline constexpr std::array member_counts = {1, 3, 5, 7, 9};
inline constexpr const char* standard = "standard SAMME";
inline constexpr const char* as_published = "as published";

TablePosition perceptron_at(const std::string& model, const std::string& form);
TablePosition wan_at(const std::string& form, const std::string& system);
TablePosition ensemble_at(int members, const std::string& weighting);
TablePosition exit_at(const std::string& exit, const std::string& form);
TablePosition few_at(const std::string& model, const std::string& form);

using Json = nlohmann::ordered_json;
Json alone();  // a platform of one worker
Json momentum(double rate);

// What needs no run: counts of parameters and operations.
std::vector<Outcome::Value> counts();

// Networks with exits on CIFAR-10: a small one, or ResNet-18.
std::vector<Cell> exit_cells(const Scale& scale);

// ResNet-18 as published, if the study is full, and the two larger ones for a few epochs.
std::vector<TableLayout> residual_tables(const Scale& scale);
std::vector<Cell> residual_cells(const Scale& scale);

std::vector<Claim> claims(const Scale& scale);
std::vector<Claim> claims_of_exits();
std::vector<Claim> claims_of_residual_networks(const Scale& scale);
std::vector<Note> notes(const Scale& scale);

}  // namespace ddl::studies::iddl_study
