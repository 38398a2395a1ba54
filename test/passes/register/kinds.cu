// One registrar per plain kernel, behind it; one per instantiation, at the end of the file.
// RUN: %gpusched-opt --name='dir/a "b".cu' %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt %s | %reparse
namespace space {
enum class Kind { First, Second };
struct Pair { int a, b; };
// CHECK: static const ::gpusched::Registrar plain__gs_registrar(&plain, &plain__gs, "space::plain", "dir/a \"b\".cu", 9, 2, 49);

__global__ void plain(int* a, int n) { a[blockIdx.x] = n; }
template <class T, Kind kind, bool flag, class... Rest> __global__ void many(T a, Rest... rest) {}
} // namespace space

template <class T> void launch(T value) { space::many<T, space::Kind::First, true><<<1, 1>>>(value); }
int main() {
  launch(space::Pair());
  space::many<const float*, space::Kind::Second, false><<<1, 1>>>(nullptr, 1ull, 'c');
}
template __global__ void space::many<double, space::Kind::First, false>(double);
// CHECK-DAG: {{^}}static const ::gpusched::Registrar many__gs_registrar{{[1-3]}}(&::space::many<space::Pair, (space::Kind)0, true>, &::space::many__gs<space::Pair, (space::Kind)0, true>, "space::many<space::Pair, (space::Kind)0, true>", {{.*}}, 10, 1, 49);
// CHECK-DAG: (&::space::many<const float *, (space::Kind)1, false, unsigned long long, char>,
// CHECK-DAG: (&::space::many<double, (space::Kind)0, false>,
