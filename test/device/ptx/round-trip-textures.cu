// Textures and surfaces: lists inside addresses: printed from the parsed form, it assembles to the same code.
// RUN: %nvcc -ptx -arch=compute_90 %s -o %t.ptx
// RUN: grep -v "[.]pragma" %t.ptx > %t.original.ptx
// RUN: %build/test-bin/ptx-ModulePrinter %t.ptx > %t.printed.ptx
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.original.ptx -o %t.original.cubin
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.printed.ptx -o %t.printed.cubin
// RUN: %build/test-bin/image-SameCode %t.original.cubin %t.printed.cubin
__global__ void kernel(cudaTextureObject_t t, cudaSurfaceObject_t s, float4* out) {
  out[0] = tex2D<float4>(t, 1.f, 2.f);
  out[1] = tex1Dfetch<float4>(t, 3);
  out[2] = tex2DLayered<float4>(t, 1, 2, 3);
  out[3] = tex2DGrad<float4>(t, 1, 2, make_float2(1, 2), make_float2(3, 4));
  out[4] = tex2Dgather<float4>(t, 1, 2, 1);
  surf2Dwrite(out[1], s, 16, 3);
  surf2Dread(&out[5], s, 16, 4, cudaBoundaryModeClamp);
}
