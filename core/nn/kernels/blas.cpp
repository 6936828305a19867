#include "core/nn/kernels/blas.hpp"

#include <cblas.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <sstream>

#include "core/base/check.hpp"

namespace ddl::nn {
namespace {

// Size of OpenBLAS's buffer per thread; OpenBLAS hangs if it cannot allocate one.
constexpr std::size_t buffer_bytes = 129 << 20;

void require_memory() {
  void* const memory = mmap(nullptr, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  munmap(memory, buffer_bytes);
}

struct OpenBlas {
  decltype(&cblas_sgemm) gemm;
  decltype(&openblas_get_config) configuration;
  decltype(&openblas_get_corename) core;
};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  check(function != nullptr, name);
}

// OpenBLAS chooses its number of threads on loading. Child programs keep their own setting.
void* open_with_one_thread() {
  constexpr const char* variable = "OPENBLAS_NUM_THREADS";
  const char* const set = std::getenv(variable);
  const auto before = set != nullptr ? std::make_optional<std::string>(set) : std::nullopt;
  setenv(variable, "1", 1);
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  before ? setenv(variable, before->c_str(), 1) : unsetenv(variable);
  return library;
}

OpenBlas load() {
  require_memory();
  void* const library = open_with_one_thread();
  if (library == nullptr) {
    throw InputError(std::string("$.math.mode: native needs OpenBLAS, Debian's libopenblas0: ") + dlerror());
  }
  OpenBlas blas{};
  find(library, "cblas_sgemm", blas.gemm);
  find(library, "openblas_get_config", blas.configuration);
  find(library, "openblas_get_corename", blas.core);
  return blas;
}

// Loaded at first use, since most runs need none of its memory.
const OpenBlas& open_blas() {
  static const OpenBlas loaded = load();
  return loaded;
}

CBLAS_TRANSPOSE cblas_op(Op op) { return op == Op::plain ? CblasNoTrans : CblasTrans; }

// C = op(A) op(B) + share C
void multiply(const Product& p, const float* a, const float* b, float share, float* c) {
  [[maybe_unused]] thread_local const bool has_buffer = (require_memory(), true);
  open_blas().gemm(CblasRowMajor, cblas_op(p.a), cblas_op(p.b), p.rows, p.columns, p.inner, 1, a,
                   p.a == Op::plain ? p.inner : p.rows, b, p.b == Op::plain ? p.columns : p.inner, share, c, p.columns);
}

}  // namespace

void blas_gemm(const Product& p, const float* a, const float* b, float* c, const Finish& finish) {
  const std::size_t rows = static_cast<std::size_t>(p.rows), columns = static_cast<std::size_t>(p.columns);
  if (finish.bias != nullptr) {
    for (std::size_t row = 0; row < rows; ++row) std::copy_n(finish.bias, columns, c + row * columns);
  }
  multiply(p, a, b, finish.bias == nullptr ? 0.0f : 1.0f, c);
  if (!finish.relu) return;
  for (std::size_t i = 0; i < rows * columns; ++i) c[i] = c[i] > 0 ? c[i] : 0;
}

void multiply(MathMode mode, const Product& product, const float* a, const float* b, float* c, Buffer& scratch,
              const Finish& finish) {
  mode == MathMode::native ? blas_gemm(product, a, b, c, finish) : gemm(product, a, b, c, scratch, finish);
}

void blas_add(const Product& p, const float* a, const float* b, float* c) { multiply(p, a, b, 1, c); }

std::string blas_kernels() {
  // The configuration line begins with "OpenBLAS <version>".
  std::istringstream configuration(open_blas().configuration());
  std::string library, version;
  configuration >> library >> version;
  return library + " " + version + " " + open_blas().core();
}

}  // namespace ddl::nn
