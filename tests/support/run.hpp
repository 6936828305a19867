// The way in which laws of the laboratory run scenarios, for tests of the product.
#pragma once

#include "lab/runs/run.hpp"
