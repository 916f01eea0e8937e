# Which folders are built, and which of their targets form a component.

# precedent_subdirectory(FOLDER NEEDS PACKAGE...): adds the folder, or says why not.
function(precedent_subdirectory folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "NEEDS")
  set(missing "")
  foreach(package IN LISTS arg_NEEDS)
    if(NOT PRECEDENT_HAS_${package})
      list(APPEND missing ${package})
    endif()
  endforeach()
  if(missing)
    list(JOIN missing ", " missing)
    message(STATUS "precedent: ${folder} is off: not found: ${missing}")
  elseif(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
    add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
  endif()
endfunction()

# precedent_component(NAME TARGET): the in-tree alias precedent::NAME, equal to the
# exported name, and an entry in PRECEDENT_COMPONENTS. Nothing where the target is off.
function(precedent_component name target)
  if(NOT TARGET ${target})
    return()
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  if(NOT TARGET precedent::${name})
    add_library(precedent::${name} ALIAS ${target})
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    # Archives end up in programs and in shared libraries alike.
    set_target_properties(${target} PROPERTIES
      POSITION_INDEPENDENT_CODE ON
      VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_compile_features(${target} PUBLIC cxx_std_17)
  endif()
  list(APPEND PRECEDENT_COMPONENTS ${name})
  set(PRECEDENT_COMPONENTS "${PRECEDENT_COMPONENTS}" PARENT_SCOPE)
endfunction()
