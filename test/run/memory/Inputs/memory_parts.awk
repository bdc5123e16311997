# The parts at the end of memory_parts.c add up to the resident set, the rest has the `outside` MiB and at most 4 MiB
# more, and the parts of objects have the objects. The peak is at least the end.
/^whole: / { whole = $2 }
/^memory at peak \(bytes\): / { peak = $NF }
/^memory at end \(bytes\): / { resident = $NF }
/^memory at end: / {
  parts++
  sum += $NF
  name = $0
  sub(/^memory at end: /, "", name)
  sub(/ \(bytes\).*/, "", name)
  part[name] = $NF
}
END {
  small = part["old objects at the last full collection"] + part["old objects since"] + part["objects and buffers"]
  large = part["large objects"]
  rest = part["other"]
  if (sum < resident || sum > resident + 2 ^ 20 || rest < (outside - 1) * 2 ^ 20 || rest > (outside + 4) * 2 ^ 20 || peak < resident) {
    print "sum", sum, "resident", resident, "rest", rest, "peak", peak
    exit 1
  }
  objects = (small + large >= 47900000 && small + large <= 60000000) ? "yes" : "no"
  printf "whole: %s, parts: %d, objects: %s, large objects: %d KB\n", whole, parts, objects, large / 1000
}
