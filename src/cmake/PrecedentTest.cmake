include(GoogleTest)

# Before every test's name, so that one ctest run over several builds tells them apart.
set(PRECEDENT_TEST_PREFIX "" CACHE STRING "Prefix of this build's test names")
# Such as a smaller PRECEDENT_PAIRS where every pair costs ten times as much.
set(PRECEDENT_TEST_ENVIRONMENT "" CACHE STRING "VAR=value... for this build's GoogleTests")

# Under ThreadSanitizer a test without threads costs ten times as much and shows nothing.
option(PRECEDENT_THREADED_TESTS_ONLY "Only the GoogleTests whose sources include <thread>" OFF)

# Tests that interpose on malloc, build other projects or compile other sources say
# nothing new under a sanitizer.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
  set(PRECEDENT_INSTRUMENTED TRUE)
else()
  set(PRECEDENT_INSTRUMENTED FALSE)
endif()

# All programs of precedent_test and the libraries that they need, and nothing else.
if(NOT TARGET precedent_test_programs)
  add_custom_target(precedent_test_programs)
endif()

# precedent_test(NAME name SOURCES a.cc... [LIBRARIES target...] [LABELS label...]
#                [ENVIRONMENT VAR=value...] [TIMEOUT seconds])
#
# A GoogleTest program and one ctest entry per test in it; one for all of them where
# the program is instrumented. Labels:
#   unit   (default) part of every run, seconds in all
#   slow   left out by tests/run.sh --quick
#   long   only in tests/run.sh --long
#   quick  only in tests/run.sh --quick: a part of a slow one
# A test whose library is off is off too, and says so.
function(precedent_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "SOURCES;LIBRARIES;LABELS;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES)
    message(FATAL_ERROR "precedent_test: needs NAME and SOURCES; `${arg_UNPARSED_ARGUMENTS}` is unknown")
  endif()
  foreach(library IN LISTS arg_LIBRARIES)
    if(library MATCHES "^precedent" AND NOT TARGET ${library})
      message(STATUS "precedent: test ${arg_NAME} is off: no ${library}")
      return()
    endif()
  endforeach()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_features(${arg_NAME} PRIVATE cxx_std_17)
  target_compile_definitions(${arg_NAME} PRIVATE
    "PRECEDENT_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\""
    "PRECEDENT_SHARED_DIR=\"${PROJECT_SOURCE_DIR}/../shared\"")
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES} GTest::gmock_main)
  if(PRECEDENT_THREADED_TESTS_ONLY)
    set(threaded FALSE)
    foreach(source IN LISTS arg_SOURCES)
      cmake_path(ABSOLUTE_PATH source)
      if(NOT EXISTS "${source}")
        continue()  # generated
      endif()
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
      file(STRINGS "${source}" lines REGEX "^#include <thread>" LIMIT_COUNT 1)
      if(lines)
        set(threaded TRUE)
      endif()
    endforeach()
    if(NOT threaded)
      # Still a target, for what its CMakeLists.txt says of it.
      set_target_properties(${arg_NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
      return()
    endif()
  endif()
  add_dependencies(precedent_test_programs ${arg_NAME})
  set(properties LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
  list(PREPEND arg_ENVIRONMENT ${PRECEDENT_TEST_ENVIRONMENT})
  if(arg_ENVIRONMENT)
    list(APPEND properties ENVIRONMENT "${arg_ENVIRONMENT}")
  endif()
  if(PRECEDENT_INSTRUMENTED)
    # To start such a program takes longer than most tests in it.
    add_test(NAME "${PRECEDENT_TEST_PREFIX}${arg_NAME}" COMMAND ${arg_NAME})
    set_tests_properties("${PRECEDENT_TEST_PREFIX}${arg_NAME}" PROPERTIES ${properties})
    return()
  endif()
  # PRE_TEST: a build does not run what it made.
  gtest_discover_tests(${arg_NAME}
    TEST_PREFIX "${PRECEDENT_TEST_PREFIX}${arg_NAME}."
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES ${properties})
endfunction()
