// mm-native, the command line twin of MiniMind Lab.
#include "native/app.hpp"
#include "native/serve/serve.hpp"

int main(int argc, char** argv) {
    return mm::run_app(argc, argv, [argv](const mm::ServeOptions&, mm::Console&) -> int {
        mm::become_sibling("mm-native-serve", argv);
    });
}
