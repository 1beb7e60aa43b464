// mm-native, the command line twin of MiniMind Lab.
#include "native/app.hpp"

int main(int argc, char** argv) {
    return mm::run_app(argc, argv);
}
