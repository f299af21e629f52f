# SPDX-License-Identifier: Apache-2.0
# No __restrict__ and no hinted load of the pool in kernels that write it in place: nvcc would load
# over the non-coherent path, which may give what was there before.

# kernel_body(text name out): from the kernel's name to the brace in the first column that ends it.
function(kernel_body text name out)
  string(FIND "${text}" "${name}(__grid_constant__" first)
  if(first EQUAL -1)
    message(FATAL_ERROR "${name}: there is no such kernel, so that nothing was checked")
  endif()
  string(SUBSTRING "${text}" ${first} -1 rest)
  string(FIND "${rest}" "\n}\n" length)
  string(SUBSTRING "${rest}" 0 ${length} body)
  set(${out} "${body}" PARENT_SCOPE)
endfunction()

function(has_fault body out)
  set(${out} FALSE PARENT_SCOPE)
  if(body MATCHES "__restrict__|__ldc?[gs]\\(&?(base|pool)")
    set(${out} TRUE PARENT_SCOPE)
  endif()
endfunction()

foreach(kernel move_rows:move_kernel pack_rows:columns_kernel pack_rows:tiles_kernel)
  string(REPLACE ":" ";" kernel ${kernel})
  list(GET kernel 0 source)
  list(GET kernel 1 name)
  file(READ ${KERNELS}/${source}.cu text)
  kernel_body("${text}" ${name} body)
  has_fault("${body}" fault)
  if(fault)
    message(FATAL_ERROR "${source}.cu: ${name} reads the pool that it writes as if nobody did")
  endif()
  # The check itself, on the same kernel with a fault in it.
  string(REPLACE "* const base" "* __restrict__ const base" restricted "${body}")
  string(REPLACE "= base[" "= __ldg(&base[" hinted "${body}")
  foreach(spoilt IN ITEMS "${restricted}" "${hinted}")
    has_fault("${spoilt}" fault)
    if(NOT fault)
      message(FATAL_ERROR "${source}.cu: a fault planted in ${name} was not found")
    endif()
  endforeach()
endforeach()
