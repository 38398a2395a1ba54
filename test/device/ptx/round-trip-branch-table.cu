// A switch through a branch table: printed from the parsed form, it assembles to the same code.
// RUN: %nvcc -ptx -arch=compute_90 %s -o %t.ptx
// RUN: grep -v "[.]pragma" %t.ptx > %t.original.ptx
// RUN: %build/test-bin/ptx-ModulePrinter %t.ptx > %t.printed.ptx
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.original.ptx -o %t.original.cubin
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.printed.ptx -o %t.printed.cubin
// RUN: %build/test-bin/image-SameCode %t.original.cubin %t.printed.cubin
__global__ void kernel(int* out, int n) {
  switch (n) {
  case 0: out[6] = 1; break;
  case 1: out[7] = n * out[1]; break;
  case 2: out[8] = out[2] + 9; break;
  case 3: out[1] = 7; // falls through
  case 4: out[9] = 5; break;
  case 5: out[10] = out[3] / 3; break;
  case 6: __trap();
  case 7: out[3] = 3; break;
  default: out[4] = 4;
  }
}
