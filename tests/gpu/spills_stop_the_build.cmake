# SPDX-License-Identifier: Apache-2.0
# cmake -DNVCC=<nvcc> -DOPTIONS=<list> -DKERNEL=<source> -P spills_stop_the_build.cmake
# With the options that kernels are built with, a kernel that fits its registers compiles, and the same
# kernel with half of them does not.
function(compile blocks_a_multiprocessor code_out words_out)
  execute_process(
    COMMAND ${NVCC} -std=c++20 ${OPTIONS} -arch=sm_90 -cubin -o spilling_kernel.cubin
      -DBLOCKS=${blocks_a_multiprocessor} ${KERNEL}
    OUTPUT_VARIABLE words ERROR_VARIABLE words RESULT_VARIABLE code)
  set(${code_out} ${code} PARENT_SCOPE)
  set(${words_out} "${words}" PARENT_SCOPE)
endfunction()

compile(1 code words)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "A kernel that spills nothing does not compile:\n${words}")
endif()
compile(2 code words)
if(code EQUAL 0 OR NOT words MATCHES "error *: Registers are spilled")
  message(FATAL_ERROR "A kernel that spills compiles (${code}):\n${words}")
endif()
