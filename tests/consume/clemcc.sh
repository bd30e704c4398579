#!/usr/bin/env bash
# clemcc's options, each as nvcc spells it: clemcc.sh CLEMCC SCRATCH. What clang is given is read from dry runs; what comes of
# it is built once at the end. Ends with 77 where there is no clang.
# SPDX-License-Identifier: Apache-2.0
set -u
clemcc=$1 scratch=$2
message=$("$clemcc" --version 2>&1) || { echo "skipped: $message" && exit 77; }
rm -rf "$scratch"
mkdir -p "$scratch/folder"
cd "$scratch" || exit 1
failures=0

cat >kernel.cu <<'TEXT'
__global__ void kernel(float *x) { x[threadIdx.x] *= 2; }
void launch(float *x) { kernel<<<1, 32>>>(x); }
TEXT
cat >main.cu <<'TEXT'
#include <cstdlib>
#include <cstring>
extern "C" int c(void);
int cpp(), cc(), cxx();
int main(int argc, char **argv)
{
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    if (__cudaPushCallConfiguration(1, 1) || __cudaPopCallConfiguration(&grid, &block, &shared, &stream) ||
        stream != cudaStreamPerThread)
        return 2;
    return argc == 3 && !strcmp(argv[1], "one") ? c() + cpp() + cc() + cxx() + atoi(argv[2]) : 1;
}
TEXT
echo 'int c(void) { int class = 1; return class; }' >c.c
for name in cpp cc cxx; do echo "int $name() { return int{1}; }" >$name.$name; done

fail() {
    echo "$*"
    failures=$((failures + 1))
}
# Dry runs only ask for the version.
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "clang version ${VERSION:-19}.0.0"\n' >clang
chmod +x clang
# The commands that clemcc would run, without what differs from run to run.
commands() {
    CLEM_CLANG=$scratch/clang "$clemcc" -dryrun "$@" 2>&1 | sed 's/clemcc-[A-Za-z0-9]\{6\}/SCRATCH/g'
}
pass() { # pass device|host|link: the commands of that pass
    case $1 in
    device) grep -e '--cuda-device-only' ;;
    host) grep -e '--cuda-host-only' ;;
    link) grep -e '--driver-mode=g++' ;;
    other) grep -v -e --cuda-device-only -e --cuda-host-only -e --driver-mode | grep -e ' -c ' ;;
    esac
}
gives() { # gives PASS TEXT options...: the pass gets the text
    local pass=$1 text=$2
    shift 2
    commands "$@" | pass "$pass" | grep -qF -e " $text" || fail "$*: the $pass pass gets no $text"
}
lacks() {
    local pass=$1 text=$2
    shift 2
    commands "$@" | pass "$pass" | grep -qF -e " $text" && fail "$*: the $pass pass gets $text"
}
plain=$(commands kernel.cu)
echo "$plain" | pass device | grep -q kernel.cu || fail "a dry run shows no commands"
accepts() { # accepts options...: they change nothing
    [ "$(commands kernel.cu "$@")" = "$plain" ] || fail "$*: not read over"
}
refuses() { # refuses TEXT words...: one line, with the text
    local text=$1 output
    shift
    output=$(CLEM_CLANG=$scratch/clang "$clemcc" "$@" 2>&1) && fail "$*: accepted"
    case $output in
    *$'\n'*) fail "$*: more than a line: $output" ;;
    clemcc:*"$text"*) ;;
    *) fail "$*: says '$output'" ;;
    esac
}
same() { # same "options" "options": both spellings do the same, and something
    local one two
    # shellcheck disable=SC2086
    one=$(commands kernel.cu $1) two=$(commands kernel.cu $2)
    [ "$one" = "$two" ] || fail "$1 and $2 differ"
    [ "$one" != "$plain" ] || fail "$1 does nothing"
}

# Both spellings, and every way to write a value.
same "-o x" "--output-file=x" && same "-o=x" "--output-file x"
same "-c" "--compile" && same "-ptx" "--ptx" && same "-cubin" "--cubin" && same "-fatbin" "--fatbin" && same "-E" "--preprocess"
same "-M" "--generate-dependencies" && same "-MM" "--generate-nonsystem-dependencies"
same "-c -MD" "-c --generate-dependencies-with-compile" && same "-c -MD -MF x.d" "-c -MD --dependency-output=x.d"
same "-Ifolder" "-I folder" && same "-I=folder" "--include-path folder" && same "-I folder" "--include-path=folder"
same "-DA=1" "-D A=1" && same "-D=A=1" "--define-macro=A=1" && same "-UA" "--undefine-macro A"
same "-DA,B=2" "-DA -DB=2" && same "-Ia,b" "-Ia -Ib" && same "-la,b" "-la -lb" && same "-La,b" "-La -Lb"
same "-isystem folder" "--system-include=folder" && same "-include x.h" "--pre-include x.h"
same "-Lfolder" "--library-path=folder" && same "-lm" "--library m" && same "-l m" "-lm"
same "-O2" "-O 2" && same "-O=2" "--optimize 2" && same "-O" "-O1"
same "-g" "--debug" && same "-G" "--device-debug" && same "-w" "--disable-warnings"
same "-std=c++20" "--std c++20" && same "-std c++20" "--std=c++20"
same "-Xcompiler -Wall,-Wextra" "--compiler-options=-Wall --compiler-options -Wextra"
same "-Xlinker -z,now" "--linker-options -z --linker-options=now"
same "-shared" "--shared" && same "-use_fast_math" "--use_fast_math" && same "-rdc=true" "--relocatable-device-code true"
same "-dc" "-rdc=true -c" && same "-dc" "--device-c" && same "-dw -dc" "-dc" && same "-dc -dw" "-c"
same "-fmad=false" "--fmad false" && same "-ftz=true" "--ftz=true" && same "-prec-div=false" "--prec-div false"
same "-prec-sqrt=false" "--prec-sqrt=false" && same "-default-stream per-thread" "--default-stream=per-thread"
same "-keep" "-save-temps" && same "-keep -keep-dir folder" "--keep --keep-dir=folder"
same "-lib" "--lib" && same "-dlink" "--device-link" && same "-run" "--run"
printf '%s\n' '-DA="b c"' "-O2 -D'D=e'" >words
echo "-std=c++14" >more.words
[ "$(commands kernel.cu @words)" = "$(commands kernel.cu '-DA=b c' -O2 -DD=e)" ] || fail "@words"
same "@words -std=c++14" "-optf words,more.words" && same "--options-file=words" "--options-file words"

# Who gets what.
for pass in device host; do
    for option in -std=c++11 -std=c++14 -std=c++17 -std=c++20 "-isystem folder" "-include x.h" -Ifolder -DA -UA; do
        # shellcheck disable=SC2086
        gives $pass "$option " kernel.cu $option
    done
    gives $pass "'-DF(a,b)=a'" kernel.cu '-DF(a,b)=a'
    gives $pass "-DA " kernel.cu -Xcompiler -DA,-fPIC
    gives $pass "-isystem folder " kernel.cu -Xcompiler "-isystem folder"
    gives $pass "-fno-exceptions" kernel.cu -noeh
done
for level in 0 1 2 3; do
    gives host "-O$level " kernel.cu -O$level
    gives device "-O3 " kernel.cu -O$level
done
gives device -O1 kernel.cu -G
gives host "-g " kernel.cu -g
lacks device "-g " kernel.cu -g
gives host "-fPIC -Wall -Wextra " kernel.cu -Xcompiler -fPIC --compiler-options "-Wall -Wextra"
lacks device -fPIC kernel.cu -Xcompiler -fPIC
gives link "-Wl,-rpath,/x" kernel.cu -Xcompiler '"-Wl,-rpath,/x"'
gives host -march=native kernel.cu -march=native
gives host -mavx2 kernel.cu -mavx2
gives device -ffp-contract=off kernel.cu -fmad=false
gives device -ffp-contract=fast kernel.cu -fmad true
gives device -D__CUDA_FTZ=1 kernel.cu -ftz=true
gives device -D__CUDA_PREC_DIV=0 kernel.cu -prec-div=false
gives device -D__CUDA_PREC_SQRT=0 kernel.cu -prec-sqrt=false
lacks device -D__CUDA_PREC_SQRT=0 kernel.cu -prec-sqrt=true
gives device -D__USE_FAST_MATH__=1 kernel.cu -use_fast_math
gives host -DCUDA_API_PER_THREAD_DEFAULT_STREAM=1 kernel.cu -default-stream per-thread
gives host -std=c++23 kernel.cu -std=c++23
VERSION=14 gives host -std=c++2b kernel.cu -std=c++23
gives host -fgpu-rdc kernel.cu -rdc=true
lacks host -fgpu-rdc kernel.cu -rdc=true -rdc=false
gives host "-Werror " kernel.cu -Werror all-warnings
gives host "-Werror=reorder " kernel.cu -Werror=cross-execution-space-call,reorder
gives link "-lm " kernel.cu -lm
lacks link -lcudart kernel.cu -lcudart
gives link "-Lfolder" kernel.cu -Lfolder
gives link "-Xlinker -z -Xlinker now " kernel.cu -Xlinker -z,now
gives link "-shared " kernel.cu -shared
gives link "c.o libz.a " kernel.cu c.o libz.a
gives other "-std=c++17" cpp.cpp -std=c++17
lacks other "-std=c++17" c.c -std=c++17
gives device "-include crt/clem_first.h " kernel.cu
gives device "-gline-tables-only" -lineinfo kernel.cu
gives device "cpp.cpp" -x cu cpp.cpp
gives device "cpp.cpp" cpp.cpp -x cu
gives device "--cuda-gpu-arch=sm_80" kernel.cu -arch sm_80
gives device "-D__CUDA_ARCH__=900 " kernel.cu --gpu-architecture=compute_90a
gives device "-D__CUDA_ARCH__=1030 " kernel.cu -arch sm_103f
gives device "--cuda-gpu-arch=sm_80" kernel.cu -gencode arch=compute_86,code=sm_86 -gencode arch=compute_80,code=sm_80
lacks host __CUDA_ARCH__ kernel.cu -arch sm_90
export CLEM_COMPUTE_CAPABILITY=8.6
gives device "--cuda-gpu-arch=sm_86" kernel.cu
gives device "--cuda-gpu-arch=sm_86" kernel.cu -arch=native
gives device "--cuda-gpu-arch=sm_75" kernel.cu -arch=sm_75
gives device "--cuda-gpu-arch=sm_80" kernel.cu -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80 \
    -gencode arch=compute_90,code=sm_90
unset CLEM_COMPUTE_CAPABILITY
gives link "c.o " -x cu cpp.cpp c.o

# What means nothing here.
for option in -arch=sm_75 -arch=sm_61 -arch=compute_75 -arch=native -arch=all -arch=all-major --gpu-architecture=sm_75 \
    "-gencode arch=compute_75,code=sm_75 -gencode=arch=compute_80,code=[sm_80,compute_80]" "-code=sm_75,compute_75" \
    --generate-code=arch=compute_75,code=compute_75 "-Xptxas -v,-O3" "--ptxas-options=-v" -maxrregcount=32 \
    "-maxrregcount 32" "-cudart shared" -cudart=static "--cudart none" -ccbin=/usr/bin/g++ "-ccbin g++" -m64 "-m 64" "-t 4" -t4 \
    --threads=0 "-time x.csv" --expt-relaxed-constexpr --expt-extended-lambda --extended-lambda -diag-suppress=177 \
    "-diag-suppress 177,550" "-Xcudafe --display_error_number" -Wno-deprecated-gpu-targets -err-no -res-usage \
    "--default-stream legacy" "-Xnvlink x" -dlto -forward-unknown-to-host-compiler -ftz=false -prec-div=true -rdc=false; do
    # shellcheck disable=SC2086
    accepts $option
done

# What cannot be.
refuses "NVIDIA GPUs" --optix-ir kernel.cu
refuses "no GPU architecture" -arch=foo kernel.cu
for name in sm_x sm_999 sm_90b compute_75a sm_; do
    refuses "no GPU architecture" "-arch=$name" -c kernel.cu
    refuses "no GPU architecture" -gencode "arch=compute_75,code=[sm_75,$name]" -c kernel.cu
    refuses "no GPU architecture" -gencode "arch=$name,code=sm_75" -c kernel.cu
done
refuses "code=" -gencode arch=compute_75 kernel.cu
refuses "none|shared|static" -cudart foo kernel.cu
refuses "per-thread" --default-stream foo kernel.cu
refuses "true|false" -rdc=maybe kernel.cu
refuses "true|false" -fmad=maybe kernel.cu
refuses "a number" -maxrregcount=x kernel.cu
refuses "takes 64" -m 32 kernel.cu
refuses "needs a value" kernel.cu -o
refuses "needs a value" kernel.cu -arch
refuses "no input files"
refuses "no input files" -c -o x
refuses "several are made" -c kernel.cu cpp.cpp -o x
refuses "cuModuleLoad" kernel.ptx
refuses "no source" -c words
refuses "No such file" @missing kernel.cu
"$clemcc" -c kernel.cu --no-such-option -o x >log 2>&1 && fail "--no-such-option: accepted"
[ "$(grep -c 'error:.*--no-such-option' log)" = 1 ] || fail "--no-such-option: $(cat log)"
"$clemcc" -c missing.cu >log 2>&1 && fail "missing.cu: accepted"
grep -q "no such file.*missing.cu" log || fail "missing.cu: $(cat log)"
echo "__global__ void k() { 1 = 2; }" >wrong.cu
"$clemcc" wrong.cu >log 2>&1 && fail "wrong.cu: accepted"
[ "$(grep -c error: log)" = 1 ] || fail "wrong.cu: $(cat log)"
[ ! -e a.out ] || fail "a program in spite of an error"
echo 'extern "C" __global__ void twice(int *p) { *p *= 2; }' >shown.cu
"$clemcc" --opencl shown.cu >shown.cl 2>log || fail "--opencl: $(cat log)"
grep -q "^__kernel.*twice(" shown.cl || fail "--opencl: $(cat shown.cl)"
"$clemcc" --opencl shown.cu -o other.cl && cmp -s shown.cl other.cl || fail "--opencl -o: another text"
[ ! -e shown.ptx ] || fail "--opencl leaves its PTX behind"
for option in -c -ptx -E --opencl; do
    cp shown.cu kept.cu
    ln -sf kept.cu named.cu
    refuses "would overwrite it" "$option" kept.cu -o named.cu
    cmp -s shown.cu kept.cu || fail "$option: the source is overwritten"
done
# Versions of clang lack different parts of 128-bit integers for devices.
cat >int128.cu <<'END'
__global__ void k(__int128 *x, double *y) { x[0] = x[1] / x[2] + (__int128)y[0]; y[1] = (double)x[3]; }
END
for version in 14 15 16 17 18 19 20; do
    if command -v clang-$version >clang.log; then
        CLEM_CLANG=clang-$version "$clemcc" -ptx int128.cu >log 2>&1 || fail "clang $version: int128.cu: $(cat log)"
    fi
done
# Headers have __float128 where they think that clang does: libstdc++ by its macros, glibc, as from 2.38 on, by its version.
mkdir -p quad/bits
cat >quad/bits/floatn.h <<'END'
#ifndef QUAD
#define QUAD
#include <features.h>
#ifdef __glibc_clang_prereq
#if __glibc_clang_prereq(3, 9)
typedef _Complex float quad __attribute__((__mode__(__TC__)));
typedef __float128 whole;
#endif
#endif
#include_next <bits/floatn.h>
#endif
END
cat >quad.cu <<'END'
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#if defined(__FLOAT128__) || defined(__SIZEOF_FLOAT128__)
template <class T> struct facts;
template <> struct facts<__float128> { static __float128 largest() { return 0; } };
#endif
__global__ void k(float *x) { *x = std::numeric_limits<float>::max(); }
END
for version in -14 -15 -16 -17 -18 -19 -20; do
    command -v clang$version >clang.log || continue
    for standard in c++17 gnu++17; do
        CLEM_CLANG=clang$version "$clemcc" -isystem quad -std=$standard -ptx quad.cu >log 2>&1 ||
            fail "clang$version -std=$standard: quad.cu: $(cat log)"
    done
done
if command -v clang-14 >clang.log; then
    echo '__device__ int all[4], *some = all + 2; __global__ void k() { some[0] = 1; }' >begins.cu
    CLEM_CLANG=clang-14 "$clemcc" -ptx begins.cu >log 2>&1 && fail "begins.cu: clang 14 takes it"
    grep -q "clang 19 does not: CLEM_CLANG" log || fail "begins.cu: $(cat log)"
    grep -q "Stack dump" log && fail "begins.cu: how clang crashed is shown"
fi

# Kernels that launch kernels.
echo '__global__ void a() {} __global__ void b() { a<<<1, 1>>>; }' >launching.cu
"$clemcc" -ptx launching.cu 2>log && fail "launching.cu: taken"
grep -q "reference to __global__ function 'a'" log && grep -q "clem_launch(kernel," log || fail "launching.cu: $(cat log)"
echo '__global__ void a() { cudaDeviceSynchronize(); }' >waiting.cu
"$clemcc" -ptx waiting.cu 2>log && fail "waiting.cu: taken"
grep -q "took cudaDeviceSynchronize() away" log || fail "waiting.cu: $(cat log)"
echo '__global__ void a(int *) {} __global__ void b() { clem_launch(a, 1, 1, 0, 0); }' >fewer.cu
"$clemcc" -ptx fewer.cu 2>log && fail "fewer.cu: taken"
grep -q "as many arguments as it has parameters" log || fail "fewer.cu: $(cat log)"

# What clang was at when it crashed is said, also where that is all that it says; only one that is silent had no room for it.
cat >crashing <<'TEXT'
#!/bin/sh
[ "$1" = --version ] && echo "clang version 15.0.0" && exit 0
[ "${SILENT:-}" ] || printf 'PLEASE submit a bug report\nStack dump:\n0.\targuments\n1.\there.h:7:1: a token\n2.\tmore\n' >&2
exit 139
TEXT
chmod +x crashing
CLEM_CLANG=$scratch/crashing "$clemcc" kernel.cu >crash.log 2>&1 && fail "a crash of clang: taken"
grep -q "clang was at here.h:7:1: a token$" crash.log || fail "a crash of clang: $(cat crash.log)"
grep -q "disk\|Stack\|more" crash.log && fail "a crash of clang: $(cat crash.log)"
SILENT=1 CLEM_CLANG=$scratch/crashing "$clemcc" kernel.cu >crash.log 2>&1 && fail "a silent clang: taken"
grep -q "is the disk full" crash.log || fail "a silent clang: $(cat crash.log)"

# Headers that clem does not have, and a library that clang may not have.
for header in cudaEGL.h nvml.h cuda_fp4.h cublas_v2.h nvToolsExt.h cuda_awbarrier.h; do
    echo "#include <$header>" >refused.cu
    "$clemcc" -E refused.cu >refused.log 2>&1 && fail "$header: taken"
    grep -q "error: \"clem has no $header: " refused.log || fail "$header: $(head -n 3 refused.log)"
done
printf '#!/bin/sh\n[ "$1" = --version ] && echo "clang version 19.0.0" && exit\nexit 1\n' >lacking
chmod +x lacking
CLEM_CLANG=$scratch/lacking "$clemcc" kernel.cu -Xcompiler -fopenmp 2>openmp.log && fail "-fopenmp: taken"
grep -q "libomp-19-dev" openmp.log || fail "-fopenmp: $(cat openmp.log)"
CLEM_CLANG=$scratch/lacking "$clemcc" kernel.cu 2>openmp.log && fail "taken"
grep -q libomp openmp.log && fail "OpenMP is missed where nobody asks for it"

# Before another compiler in a build system's commands.
launched=$(CLEM_CLANG=$scratch/clang "$clemcc" --launch -dryrun -fmad=false -- ccache g++ -x c++ -DLIST=1,2 -flto=auto -c kernel.cu 2>&1)
for text in --cuda-device-only -ffp-contract=off "-DLIST=1,2 "; do
    echo "$launched" | grep -qF -e "$text" || fail "--launch: no $text"
done
echo "$launched" | grep -e -flto && fail "--launch: another compiler's option"
"$clemcc" --launch -- g++ -Wno-maybe-uninitialized -Wno-stringop-overflow -fno-gcse -Werror -o launched.o -c kernel.cu ||
    fail "--launch: options of another compiler"
[ "$("$clemcc" --launch -fmad=false -- echo -DLIST=1,2 -c c.c)" = "-DLIST=1,2 -c c.c" ] || fail "--launch of what is not CUDA"
refuses "wants --" --launch kernel.cu

# Names in an archive are no options of the linker's.
printf '%s\n' '.globl "__fatbinwrap_a,-Map=map"' '"__fatbinwrap_a,-Map=map":' '.globl __fatbinwrap_b1' '__fatbinwrap_b1:' >names.s
cc -c names.s && ar rc libnames.a names.o
gives link "-Xlinker -u -Xlinker __fatbinwrap_b1 " kernel.cu libnames.a
lacks link "'__fatbinwrap_a" kernel.cu libnames.a
commands kernel.cu libnames.a | grep -q Map && fail "a name of an archive's is an option"

# A signal ends what clemcc runs, and clemcc, and nothing is left.
mkdir -p temporary
printf '#!/bin/sh\n[ "$1" = --version ] && echo "clang version 19.0.0" && exit\ntouch "$TMPDIR/begun"\nexec sleep 60\n' >slow
chmod +x slow
for signal in TERM INT HUP; do
    CLEM_CLANG=$scratch/slow TMPDIR=$scratch/temporary env --default-signal "$clemcc" -c kernel.cu 2>slow.log &
    child=$!
    for _ in $(seq 100); do [ -e temporary/begun ] && break || sleep 0.05; done
    [ "$(find temporary -name 'clemcc-*' | wc -l)" = 1 ] || fail "$signal: no temporary folder"
    sleeper=$(pgrep -P "$child")
    kill -$signal "$child"
    wait "$child" 2>wait.log
    status=$?
    [ $status -eq $((128 + $(kill -l $signal))) ] || fail "$signal: ends with $status"
    kill -0 "$sleeper" 2>kill.log && fail "$signal: what it ran goes on"
    rm temporary/begun
    [ -z "$(ls temporary)" ] || fail "$signal: left $(ls temporary)"
done

# What is made.
[ "$("$clemcc" --list-gpu-arch)" = compute_75 ] || fail --list-gpu-arch
"$clemcc" --help | grep -q "^usage: clemcc" || fail --help
"$clemcc" -lib -o libparts.a c.c cpp.cpp cc.cc -std=c++17 || fail "-lib"
"$clemcc" -c cxx.cxx || fail "-c cxx.cxx"
export TMPDIR=$scratch/folder
"$clemcc" main.cu cxx.o libparts.a -o program -keep -keep-dir folder -run -run-args one,2 -MD \
    -default-stream per-thread
status=$?
[ $status -eq 6 ] || fail "-run: $status"
[ "$(ls folder)" = main.ptx ] || fail "-keep -keep-dir: $(ls folder)"
grep -q "target sm_75" folder/main.ptx || fail "-keep: no PTX"
grep -q "^program: main.cu" program.d || fail "-MD: $(head -n 3 program.d)"
echo '#error this is not clem'"'"'s' >folder/cuda_runtime.h
"$clemcc" -E kernel.cu -Ifolder >include.log 2>&1 || fail "a cuda_runtime.h of the program's replaces clem's"
rm folder/cuda_runtime.h
"$clemcc" -E kernel.cu -DNAME=1 | grep -q "void launch" || fail "-E"
"$clemcc" -MM kernel.cu | grep -q "^kernel.o: kernel.cu" || fail "-MM"
"$clemcc" -fatbin kernel.cu -odir folder || fail "-fatbin"
head -c 4 folder/kernel.fatbin | od -An -tx4 | grep -q ba55ed50 || fail "-fatbin: no container"

# A unit with device code alone, which nothing of the host asks an archive for.
mkdir -p deep
echo 'extern "C" __device__ int twice(int x) { return 2 * x; }' >twice.cu
cat >uses.cu <<'END'
#include <cstdio>
extern "C" __device__ int twice(int x);
__device__ int (*chosen)(int) = twice;
__global__ void k(int *p)
{
    *p = chosen(*p) + twice(1);
}
int main()
{
    int *p = nullptr, value = 20;
    cudaMalloc(&p, sizeof *p);
    cudaMemcpy(p, &value, sizeof value, cudaMemcpyDefault);
    k<<<1, 1>>>(p);
    cudaMemcpy(&value, p, sizeof value, cudaMemcpyDefault);
    return value;
}
END
"$clemcc" -dc twice.cu uses.cu && "$clemcc" -lib -o deep/libdevice.a twice.o || fail "-dc and -lib"
"$clemcc" uses.o deep/libdevice.a -o uses && ./uses
status=$?
[ $status -eq 42 ] || fail "device code of an archive: $status"
"$clemcc" uses.o -Ldeep -ldevice -o uses && ./uses
status=$?
[ $status -eq 42 ] || fail "device code of an archive by -l: $status"
[ "$failures" -eq 0 ]
