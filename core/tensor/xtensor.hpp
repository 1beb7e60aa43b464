// xtensor's containers, wherever this release of it keeps them: 0.26 moved its headers into folders.
#pragma once

#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xtensor.hpp>
#endif
