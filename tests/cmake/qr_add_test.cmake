# qr_add_test: one executable of one or more sources, and one CTest entry for each world size it runs on.
#
#   qr_add_test(NAME sources... UNIT [SLOW] [TIMEOUT seconds])
#   qr_add_test(NAME sources... MPI RANKS 1 2 3 [LABEL mpi|field|device] [SLOW] [SERIAL] [DEVICE] [TIMEOUT seconds])
#
#   qr_add_script_test(SCRIPT LABEL mpi|field|device [SLOW])
#   qr_add_device_run(NAME PRELOAD library RANKS 2 3)
#
#   qr_add_program_test(NAME RANKS n COMMAND target arguments... [FAILS_WITH regex])
#
# UNIT links the library's inside and GoogleTest's own main; MPI links the public package and support/. Entries are named
# NAME or NAME.npN and labelled unit, mpi or field, and slow. SERIAL keeps other tests off the machine while it runs.
# A program that judges itself passes with exit code 0; with FAILS_WITH it must print that and leave with 1.
# DEVICE: one at a time on the devices, and skipped where there is none. A device run is a test's program once more, with
# a library loaded before it.
# A script starts test programs itself, by QR_TEST_MPIEXEC and from QR_TEST_BIN; its entry is called like its file.
set(QR_TEST_TIMEOUT 300 CACHE STRING "Seconds a test may take, unless it says otherwise")
set(QR_TEST_TIMEOUT_SCALE 1 CACHE STRING "Factor on all test time limits, for slow machines and sanitizers")

# How this MPI is told that ranks may outnumber cores and must not be bound to them (two tests at once would otherwise
# share core 0).
execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE QR_MPIEXEC_VERSION ERROR_QUIET)
set(QR_MPIEXEC_FLAGS "")
set(QR_TEST_ENVIRONMENT "")
if(QR_MPIEXEC_VERSION MATCHES "Open MPI|OpenRTE|prte|PRRTE")
  set(QR_MPIEXEC_FLAGS --oversubscribe --bind-to none)
  execute_process(COMMAND id -u OUTPUT_VARIABLE QR_USER_ID OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(QR_USER_ID STREQUAL "0")
    list(APPEND QR_TEST_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
  endif()
endif()

# Sanitizers: options, suppressions and longer limits travel with the tests, so plain ctest runs them right.
set(QR_SUPPRESSIONS "${CMAKE_CURRENT_SOURCE_DIR}/suppressions")
if(QR_SANITIZE)
  list(APPEND QR_TEST_ENVIRONMENT QR_TEST_SLOWDOWN=4 QR_TEST_TIMEOUT_S=300)
  if(QR_SANITIZE MATCHES "address")
    list(APPEND QR_TEST_ENVIRONMENT ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
         LSAN_OPTIONS=suppressions=${QR_SUPPRESSIONS}/lsan.supp:print_suppressions=0)
  elseif(QR_SANITIZE MATCHES "thread")
    list(APPEND QR_TEST_ENVIRONMENT
         TSAN_OPTIONS=suppressions=${QR_SUPPRESSIONS}/tsan.supp:second_deadlock_stack=1:history_size=4)
  endif()
  add_library(qr_keep_modules OBJECT "${CMAKE_CURRENT_LIST_DIR}/keep_modules.c")
  target_link_options(qr_keep_modules INTERFACE -Wl,--export-dynamic-symbol=dlclose)
  link_libraries(qr_keep_modules)
endif()

function(qr_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNIT;MPI;SLOW;SERIAL;DEVICE" "TIMEOUT;LABEL" "RANKS")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/bin")
  if(arg_UNIT)
    target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    target_link_libraries(${name} PRIVATE qr_core GTest::gtest GTest::gtest_main)
    set(arg_RANKS 1)
    set(arg_LABEL unit)
  else()
    target_link_libraries(${name} PRIVATE qr_test_support)
    if(NOT arg_RANKS)
      set(arg_RANKS ${QR_WORLDS})
    endif()
    if(NOT arg_LABEL)
      set(arg_LABEL mpi)
    endif()
  endif()
  if(arg_SLOW)
    list(APPEND arg_LABEL slow)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${QR_TEST_TIMEOUT})
  endif()
  math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * ${QR_TEST_TIMEOUT_SCALE}")

  foreach(ranks IN LISTS arg_RANKS)
    if(arg_UNIT)
      set(test ${name})
      add_test(NAME ${test} COMMAND ${name})
    else()
      set(test ${name}.np${ranks})
      add_test(NAME ${test}
               COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${QR_MPIEXEC_FLAGS} ${MPIEXEC_PREFLAGS}
                       $<TARGET_FILE:${name}> ${MPIEXEC_POSTFLAGS})
    endif()
    set_tests_properties(${test} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT} PROCESSORS ${ranks}
                         RUN_SERIAL "${arg_SERIAL}" ENVIRONMENT "${QR_TEST_ENVIRONMENT}")
    if(arg_DEVICE)
      qr_needs_device(${test})
    endif()
  endforeach()
endfunction()

function(qr_needs_device test)
  set_tests_properties(${test} PROPERTIES RESOURCE_LOCK device SKIP_REGULAR_EXPRESSION "SKIPPED: no device in this process")
endfunction()

function(qr_add_device_run name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRELOAD" "RANKS")
  math(EXPR timeout "${QR_TEST_TIMEOUT} * ${QR_TEST_TIMEOUT_SCALE}")
  foreach(ranks IN LISTS arg_RANKS)
    set(test on_device.${name}.np${ranks})
    add_test(NAME ${test}
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${QR_MPIEXEC_FLAGS} ${MPIEXEC_PREFLAGS}
                     env LD_PRELOAD=$<TARGET_FILE:${arg_PRELOAD}> $<TARGET_FILE:${name}> ${MPIEXEC_POSTFLAGS})
    set_tests_properties(${test} PROPERTIES LABELS on_device TIMEOUT ${timeout} PROCESSORS ${ranks}
                         ENVIRONMENT "${QR_TEST_ENVIRONMENT}")
    qr_needs_device(${test})
  endforeach()
endfunction()

function(qr_add_script_test script)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SLOW" "LABEL" "")
  if(arg_SLOW)
    list(APPEND arg_LABEL slow)
  endif()
  get_filename_component(name "${script}" NAME)
  math(EXPR timeout "${QR_TEST_TIMEOUT} * ${QR_TEST_TIMEOUT_SCALE}")
  list(JOIN QR_MPIEXEC_FLAGS " " flags)
  add_test(NAME ${name} COMMAND bash "${script}")
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${timeout} PROCESSORS 4 SKIP_RETURN_CODE 77
    ENVIRONMENT "${QR_TEST_ENVIRONMENT};QR_TEST_BIN=${CMAKE_CURRENT_BINARY_DIR}/bin;QR_TEST_MPIEXEC=${MPIEXEC_EXECUTABLE} ${flags}")
endfunction()

function(qr_add_program_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS;FAILS_WITH" "COMMAND")
  list(POP_FRONT arg_COMMAND target)
  set(command ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${arg_RANKS} ${QR_MPIEXEC_FLAGS} ${MPIEXEC_PREFLAGS}
              $<TARGET_FILE:${target}> ${arg_COMMAND} ${MPIEXEC_POSTFLAGS})
  if(arg_FAILS_WITH)
    set(command sh -c "output=$(\"$@\" 2>&1)\; code=$?\; echo \"$output\"\; test $code = 1 && echo \"$output\" | grep -q '${arg_FAILS_WITH}'"
                sh ${command})
  endif()
  math(EXPR timeout "${QR_TEST_TIMEOUT} * ${QR_TEST_TIMEOUT_SCALE}")
  add_test(NAME ${name} COMMAND ${command})
  set_tests_properties(${name} PROPERTIES LABELS example TIMEOUT ${timeout} PROCESSORS ${arg_RANKS}
                       ENVIRONMENT "${QR_TEST_ENVIRONMENT}")
endfunction()
