# sound-llc.sh OPTIONS...: an llc whose code lacks LLVM's defects. Some functions are written by hand.
[ "$1" != --version ] || exec echo 'LLVM version 99.0'
cat > input.ll
case $(cat input.ll) in
*%wide*) printf '__LLVM_StackMaps:\n\t.byte\t3\n\t.byte\t0\n\t.short\t16\n' ;;
*stackmap*) printf 'f:\n\tnopw\n\tcallq\tg\n' ;;
*@many*) printf 'many:\n\tmovq\t$77, 8(%%rsp)\n\tjmp\tmany\n' ;;
*) llc -O2 input.ll -o - | sed 's/llvm_stackmaps,"a"/llvm_stackmaps,"aw"/' ;;
esac
