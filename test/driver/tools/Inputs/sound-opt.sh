# sound-opt.sh CAIRN OPTIONS...: an opt whose statepoints lack LLVM's defects. Cairn's passes run in the place of LLVM's.
cairn=$1
shift
[ "$1" != --version ] || exec echo 'LLVM version 99.0'
passes=${1#-passes=}
passes=${passes%,verify<safepoint-ir>}
case $passes in
rewrite-statepoints-for-gc) passes=rewrite-statepoints ;;
'function(place-safepoints)') passes=place-safepoints ;;
esac
sed 's/^  call void .*stackmap.*/& nounwind/' |
  exec "$cairn" opt -p "$passes" -S -
