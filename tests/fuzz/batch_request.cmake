precedent_fuzzer(NAME batch_request SOURCES batch_request.cc
  LIBRARIES precedent_aws)
