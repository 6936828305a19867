#include "sim/run/run_end.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace ddl;
using namespace ddl::run;

TEST_CASE("a run ends for the first reason that is given") {
  RunEnd end;
  CHECK_FALSE(end.is_over());
  CHECK(end.stop("accuracy", 3));
  CHECK_FALSE(end.stop("time", 4));
  CHECK_FALSE(end.diverge({0, 1, 4, "loss"}));
  CHECK(end.reason() == "accuracy");
  CHECK(end.time_s() == 3);
  CHECK_FALSE(end.divergence());
}

TEST_CASE("a run that diverges ends when it does") {
  RunEnd end;
  CHECK(end.diverge({2, 7, 1.5, "gradient"}));
  CHECK(end.reason() == "diverged");
  CHECK(end.time_s() == 1.5);
  CHECK(end.divergence()->node == 2);
}

TEST_CASE("the first failure counts, whatever has been given as reason") {
  RunEnd end;
  end.stop("time", 1);
  CHECK_NOTHROW(end.rethrow_failure());
  end.fail(std::make_exception_ptr(std::runtime_error("first")));
  end.fail(std::make_exception_ptr(std::runtime_error("second")));
  CHECK(end.has_failed());
  CHECK_THROWS_WITH(end.rethrow_failure(), "first");
}

TEST_CASE("at most twenty waits are told") {
  CHECK(joined({}).empty());
  CHECK(joined({"w0 waits for a", "w1 waits for b"}) == "w0 waits for a; w1 waits for b");
  const std::string text = joined(std::vector<std::string>(23, "w"));
  CHECK(text.ends_with("w; w; and 3 more wait"));
}
