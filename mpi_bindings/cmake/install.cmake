# What `cmake --install` puts where: library, header, CMake package, pkg-config file, licence.
include(CMakePackageConfigHelpers)

set(QR_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/qr_mpi")
install(TARGETS qr_mpi EXPORT qr_mpi_targets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/mpi_bindings/include/qr_mpi" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/qr_mpiConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/qr_mpiConfig.cmake" INSTALL_DESTINATION "${QR_CMAKE_DIR}")
# Before 1.0 a minor version may change the API.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/qr_mpiConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/qr_mpiConfig.cmake" "${PROJECT_BINARY_DIR}/qr_mpiConfigVersion.cmake"
        DESTINATION "${QR_CMAKE_DIR}")
install(EXPORT qr_mpi_targets NAMESPACE qr_mpi:: FILE qr_mpiTargets.cmake DESTINATION "${QR_CMAKE_DIR}")

# The .pc file finds its prefix from its own place, so an installed tree can be moved.
file(RELATIVE_PATH QR_PC_TO_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" QR_PC_TO_PREFIX "${QR_PC_TO_PREFIX}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/qr_mpi.pc.in" "${PROJECT_BINARY_DIR}/qr_mpi.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/qr_mpi.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/qr_mpi")
