# How each library that precedent uses is found, in the build and again by the
# installed package. A library is looked up only if its target is missing, so a
# project that brings its own keeps it. CMake's config files come first; where a
# system has none (Debian 12: Protobuf, RE2), FindProtobuf and pkg-config.
#
# Every lookup ends in one target name, whatever the version calls it:
# protobuf::libprotobuf, absl::strings and its like, re2::re2, simdjson::simdjson,
# yaml-cpp::yaml-cpp, GTest::gmock_main, benchmark::benchmark,
# CURL::libcurl.

# The names are global: whoever links a precedent target from another folder has to
# see what that target links.
macro(_precedent_lookup package probe)
  if(NOT TARGET ${probe})
    set(_precedent_global "${CMAKE_FIND_PACKAGE_TARGETS_GLOBAL}")
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
    find_package(${package} QUIET ${ARGN})
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL "${_precedent_global}")
  endif()
endmacro()

# Through pkg-config, unless the lookup of that package was disabled by name.
macro(_precedent_lookup_pkgconfig package module target)
  if(NOT TARGET ${target} AND NOT CMAKE_DISABLE_FIND_PACKAGE_${package})
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_check_modules(PRECEDENT_${module} QUIET IMPORTED_TARGET GLOBAL ${module})
      if(TARGET PkgConfig::PRECEDENT_${module})
        # A target of its own and no alias: an exported target that links an alias
        # would name what stands behind it.
        add_library(${target} INTERFACE IMPORTED GLOBAL)
        target_link_libraries(${target} INTERFACE PkgConfig::PRECEDENT_${module})
      endif()
    endif()
  endif()
endmacro()

macro(precedent_find_Protobuf)
  _precedent_lookup(Protobuf protobuf::libprotobuf CONFIG)
  _precedent_lookup(Protobuf protobuf::libprotobuf MODULE)
  set(PRECEDENT_HAS_Protobuf FALSE)
  if(TARGET protobuf::libprotobuf)
    set(PRECEDENT_HAS_Protobuf TRUE)
  endif()
endmacro()

macro(precedent_find_absl)
  _precedent_lookup(absl absl::strings CONFIG)
  set(PRECEDENT_HAS_absl FALSE)
  if(TARGET absl::strings)
    set(PRECEDENT_HAS_absl TRUE)
  endif()
endmacro()

macro(precedent_find_re2)
  _precedent_lookup(re2 re2::re2 CONFIG)
  _precedent_lookup_pkgconfig(re2 re2 re2::re2)
  set(PRECEDENT_HAS_re2 FALSE)
  if(TARGET re2::re2)
    set(PRECEDENT_HAS_re2 TRUE)
  endif()
endmacro()

macro(precedent_find_simdjson)
  _precedent_lookup(simdjson simdjson::simdjson CONFIG)
  _precedent_lookup_pkgconfig(simdjson simdjson simdjson::simdjson)
  set(PRECEDENT_HAS_simdjson FALSE)
  if(TARGET simdjson::simdjson)
    set(PRECEDENT_HAS_simdjson TRUE)
  endif()
endmacro()

# yaml-cpp 0.7 calls its target yaml-cpp, 0.8 yaml-cpp::yaml-cpp.
macro(precedent_find_yaml-cpp)
  if(NOT TARGET yaml-cpp::yaml-cpp)
    _precedent_lookup(yaml-cpp yaml-cpp CONFIG)
    if(TARGET yaml-cpp AND NOT TARGET yaml-cpp::yaml-cpp)
      add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED GLOBAL)
      target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
    endif()
  endif()
  _precedent_lookup_pkgconfig(yaml-cpp yaml-cpp yaml-cpp::yaml-cpp)
  set(PRECEDENT_HAS_yaml-cpp FALSE)
  if(TARGET yaml-cpp::yaml-cpp)
    set(PRECEDENT_HAS_yaml-cpp TRUE)
  endif()
endmacro()

macro(precedent_find_CURL)
  _precedent_lookup(CURL CURL::libcurl 7.87)
  set(PRECEDENT_HAS_CURL FALSE)
  if(TARGET CURL::libcurl)
    set(PRECEDENT_HAS_CURL TRUE)
  endif()
endmacro()

macro(precedent_find_GTest)
  _precedent_lookup(GTest GTest::gmock_main CONFIG)
  set(PRECEDENT_HAS_GTest FALSE)
  if(TARGET GTest::gmock_main)
    set(PRECEDENT_HAS_GTest TRUE)
  endif()
endmacro()

macro(precedent_find_benchmark)
  _precedent_lookup(benchmark benchmark::benchmark CONFIG)
  set(PRECEDENT_HAS_benchmark FALSE)
  if(TARGET benchmark::benchmark)
    set(PRECEDENT_HAS_benchmark TRUE)
  endif()
endmacro()

# precedent_find_packages(NAME...): sets PRECEDENT_HAS_<NAME> for each.
macro(precedent_find_packages)
  foreach(_precedent_name IN ITEMS ${ARGN})
    cmake_language(CALL precedent_find_${_precedent_name})
  endforeach()
endmacro()
