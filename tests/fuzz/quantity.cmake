precedent_fuzzer(NAME quantity
  SOURCES quantity.cc
  LIBRARIES precedent_json)
