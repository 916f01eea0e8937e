#include "gtest/gtest.h"
#include "tests/differential/settings.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);  // takes its own flags away
  if (!precedent::differential::ParseFlags(argc, argv)) return 2;
  return RUN_ALL_TESTS();
}
