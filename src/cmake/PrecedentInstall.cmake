# Install tree: headers, protos, archives, program, CMake package, pkg-config files.
#
# What a component needs is read from its target's own link libraries: the one list
# that feeds the link line, the CMake package's lookups and pkg-config's Requires.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/precedent")
set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# Sorts the direct link libraries of `target` into COMPONENTS (of this project),
# PACKAGES (for precedent_find_packages) and MODULES (of pkg-config).
function(precedent_requirements target)
  set(components "")
  set(packages "")
  set(modules "")
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT libraries)
    set(libraries "")
  endif()
  foreach(library IN LISTS libraries)
    # Private libraries of an archive: needed to link it, not to compile against it.
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
    if(TARGET ${library})
      get_target_property(aliased ${library} ALIASED_TARGET)
      if(aliased)
        set(library ${aliased})
      endif()
    endif()
    if(library MATCHES "^precedent_")
      get_target_property(name ${library} EXPORT_NAME)
      list(APPEND components ${name})
    elseif(library MATCHES "^absl::(.*)$")
      list(APPEND packages absl)
      list(APPEND modules absl_${CMAKE_MATCH_1})
    elseif(library STREQUAL "protobuf::libprotobuf")
      list(APPEND packages Protobuf)
      list(APPEND modules protobuf)
    elseif(library MATCHES "^(re2|simdjson|yaml-cpp)::")
      list(APPEND packages ${CMAKE_MATCH_1})
      list(APPEND modules ${CMAKE_MATCH_1})
    else()
      message(FATAL_ERROR
        "${target} links ${library}: PrecedentInstall.cmake does not know how its users find it")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES packages)
  set(COMPONENTS "${components}" PARENT_SCOPE)
  set(PACKAGES "${packages}" PARENT_SCOPE)
  set(MODULES "${modules}" PARENT_SCOPE)
endfunction()

# The prefix as seen from a .pc file, so that an install tree can be moved.
file(RELATIVE_PATH pc_to_prefix
  "${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir}" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")

set(package_components "")
foreach(component IN LISTS PRECEDENT_COMPONENTS)
  get_target_property(target precedent::${component} ALIASED_TARGET)
  install(TARGETS ${target} EXPORT precedent-${component})
  install(EXPORT precedent-${component}
    NAMESPACE precedent::
    FILE precedent-${component}-targets.cmake
    DESTINATION "${package_dir}")

  # PRECEDENT_COMPONENTS has each component behind those that it links.
  precedent_requirements(${target})
  set(closure_${component} "")
  foreach(needed IN LISTS COMPONENTS)
    list(APPEND closure_${component} ${closure_${needed}})
  endforeach()
  list(APPEND closure_${component} ${component})
  list(REMOVE_DUPLICATES closure_${component})
  string(APPEND package_components
    "set(_precedent_parts_${component} ${closure_${component}})\n"
    "set(_precedent_packages_${component} ${PACKAGES})\n")

  set(pc_name precedent-${component})
  set(pc_libs "")
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    get_target_property(pc_library ${target} OUTPUT_NAME)
    if(NOT pc_library)
      set(pc_library ${target})
    endif()
    set(pc_libs "-L\${libdir} -l${pc_library}")
  endif()
  list(TRANSFORM COMPONENTS PREPEND precedent-)
  list(JOIN COMPONENTS " " pc_requires)
  list(JOIN MODULES " " pc_modules)
  string(STRIP "${pc_requires} ${pc_modules}" pc_requires)
  configure_file("${PROJECT_SOURCE_DIR}/src/cmake/precedent.pc.in"
    "${PROJECT_BINARY_DIR}/pkgconfig/${pc_name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/pkgconfig/${pc_name}.pc" DESTINATION "${pkgconfig_dir}")
endforeach()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/precedent"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_BINARY_DIR}/include/precedent/version.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/precedent")
if(TARGET precedent_proto)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/proto/precedent"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.proto")
  install(DIRECTORY "${PROJECT_BINARY_DIR}/proto/generated/precedent"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.pb.h")
endif()
if(TARGET precedent_cli)
  install(TARGETS precedent_cli)
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/src/cmake/precedentConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/precedentConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change what compiles.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/precedentConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/precedentConfig.cmake"
  "${PROJECT_BINARY_DIR}/precedentConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/src/cmake/PrecedentDependencies.cmake"
  DESTINATION "${package_dir}")
