# Link an object that has no frame maps in all ways there are: each has to fail, by the name of what
# says what to do. Afterwards the rewritten one, which has to run and to hold nothing of it.
#   refused.sh CAIRN LIBRARY OBJECT LINKER...
cairn=$1 runtime="-Wl,-u,cairn_image_register $2" object=$3
shift 3
name=cairn_object_that_needs_cairn_frames_rewrite
ways=0

for linker; do
  for form in -pie -no-pie -static -static-pie -shared '-shared -Wl,-z,undefs' \
    '-pie -Wl,--gc-sections,-z,start-stop-gc' '-shared -Wl,--gc-sections'; do
    case $linker$form in # what gold does not know
      gold-static-pie | gold*undefs) continue ;;
      gold*start-stop-gc) form='-pie -Wl,--gc-sections' ;;
    esac
    with=$runtime
    case $form in -shared*) with= ;; esac # the executable has it
    if clang -fuse-ld=$linker $form "$object" $with -o linked >log 2>&1; then
      echo "$object links: $linker $form" && exit 1
    fi
    # mold looks at the absolute addresses of stack maps first, which a static PIE cannot have.
    grep -q "$name\|(.llvm_stackmaps)" log || { echo "$object: $linker $form:" && cat log && exit 1; }
    ways=$((ways + 1))
  done
  clang -fuse-ld=$linker -nostdlib -r "$object" -o joined.o || exit 1
  "$cairn" frames --rewrite joined.o -o joined.done.o || exit 1
  clang -fuse-ld=$linker joined.done.o $runtime -o joined || exit 1
  CAIRN_STRESS=1 ./joined 30 2 >joined.out || exit 1
  if clang -fuse-ld=$linker joined.o $runtime -o linked >log 2>&1; then
    echo "$object links, joined by $linker" && exit 1
  fi
done
"$cairn" frames --rewrite "$object" -o done.o || exit 1
if llvm-readelf -sSrW done.o | grep -E "cairn_guard|$name"; then exit 1; fi
clang done.o $runtime -o done && CAIRN_STRESS=1 ./done 30 2 >"$object.out" && cmp "$object.out" joined.out || exit 1
if llvm-readelf -sSrW done | grep -E "cairn_guard|$name|__start_cairn_frames.*UND"; then exit 1; fi
echo "$object: $ways refused"
