// IDDL (github.com/iid2019/iddl, 2020): perceptrons and residual networks made sparse by block designs, and ensembles
// of them. Nothing in it was distributed; what sparsity is worth on a network is simulated here.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/studies/reproduce/study.hpp"

namespace ddl::studies::iddl_study {

inline constexpr const char* dense = "dense";
inline constexpr const char* bibd = "BIBD";
inline constexpr const char* random = "random";
inline constexpr std::array forms = {dense, bibd, random};
inline constexpr std::array endings = {"", "-bibd", "-random"};  // of the models' names

inline constexpr int few_epochs = 5;  // of the larger residual networks

inline constexpr std::array perceptrons = {"MLP-3-1", "MLP-3-2", "MLP-3-3", "MLP-3-4"};

inline constexpr const char* server = "async. PS";
inline constexpr const char* ako = "Ako P=4";

inline constexpr const char* grouped = "grouped";
inline constexpr const char* bibd_grouped = "BIBD, grouped";
inline constexpr std::array exits = {"first", "second", "end"};

inline constexpr std::array member_counts = {1, 3, 5, 7, 9};
inline constexpr const char* standard = "standard SAMME";
inline constexpr const char* as_published = "as published";

TablePosition perceptron_at(const std::string& model, const std::string& form);
TablePosition wan_at(const std::string& form, const std::string& system);
TablePosition ensemble_at(int members, const std::string& weighting);
TablePosition exit_at(const std::string& exit, const std::string& form);

// What needs no run: counts of parameters and operations.
std::vector<Outcome::Value> counts();

// Networks with exits on CIFAR-10: a small one, or ResNet-18.
std::vector<Cell> exit_cells(const Scale& scale);

std::vector<Claim> claims(const Scale& scale);
std::vector<Note> notes(const Scale& scale);

}  // namespace ddl::studies::iddl_study
