// mm-native-serve: what `mm-native serve` becomes. The same options, and the server behind them.
#include "native/app.hpp"
#include "native/serve/serve.hpp"

int main(int argc, char** argv) {
    return mm::run_app(argc, argv, mm::serve);
}
