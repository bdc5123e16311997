# Every way to ask for a dependency file; $1 is the compiler. The names of what is made are compared.
set -e
cc=$1
$cc -c user.c -o out/user.o -MD
$cc -c user.c -o out/mmd.o -MMD -MP
$cc -c user.c -MMD
$cc -c part.c user.c -MMD
$cc -c user.c -o out/a.b.o -MMD
$cc -c user.c -o out/noext -MMD
$cc -c user.c -o out/mf.o -MMD -MF out/mf-named.d
$cc -c user.c -o out/mf2.o -MMD -MFout/mf2-named.d
$cc -c user.c -o out/mt.o -MMD -MT 'some target' -MF mt.d
$cc -c user.c -o out/mq.o -MMD -MQ 'some $target' -MF mq.d
$cc -c user.c -o out/wp.o -Wp,-MD,wp.d
$cc -c user.c -o out/wpm.o -Wp,-MMD,wpm.d
$cc -S user.c -o out/asm.s -MMD
$cc -S user.c -MMD -MF s.d
$cc -E user.c -MMD -MF e.d -o e.i
$cc -M user.c > m.out
$cc -MM user.c > mm.out
$cc -MM -MG -MF mg.d user.c
$cc -c part.c -o 'out/with space.o' -MMD -MF space.d
echo 'int main(void) { return 0; }' > main.c
$cc main.c user.c -o prog -MMD
$cc main.c -MMD
rm -f prog a.out e.i out/asm.s user.s
