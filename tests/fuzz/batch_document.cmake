precedent_fuzzer(NAME batch_document SOURCES batch_document.cc
  LIBRARIES precedent_aws)
