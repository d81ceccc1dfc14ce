# SPDX-License-Identifier: MIT
# Sourced by the tests of the house. `calls` prints "caller callee symbol" for every symbol that one
# C file of sim, traces or validate takes from another, as the objects that were built say. Files are
# named without .c; those of an earlier layout of the sources are passed over.
calls()
{
    (cd "$GMSIM_BUILDDIR" && find sim traces validate -name '*.o' -exec nm -AgP {} +) 2>/dev/null |
        awk -v source="$GMSIM_SRCDIR" '
        function file_of(object, parts, name)
        {
            if (!(object in known)) {
                name = object
                sub(/\.o:$/, "", name)
                sub(/\/\.libs\//, "/", name)
                sub(/\/[^\/-]*-/, "/", name) # the program that automake compiled it for
                known[object] = (getline parts <(source "/" name ".c")) >= 0 ? name : ""
                close(source "/" name ".c")
            }
            return known[object]
        }
        function room_of(file) { sub(/\/[^\/]*$/, "", file); return file }
        (file = file_of($1)) == "" { next }
        $3 == "U" { if (!((file, $2) in takes)) { takes[file, $2]; user[++count] = file; what[count] = $2 } next }
        $2 != "main" && !((file, $2) in gives) { gives[file, $2]; owner[$2] = owner[$2] " " file }
        END {
            for (i = 1; i <= count; i++) {
                n = split(owner[what[i]], list, " ")
                near = 0 # of several programs with a function of that name, the own one
                for (k = 1; k <= n; k++) near += room_of(list[k]) == room_of(user[i])
                for (k = 1; k <= n; k++)
                    if (list[k] != user[i] && (!near || room_of(list[k]) == room_of(user[i])))
                        print user[i], list[k], what[i]
            }
        }'
}
