# SPDX-License-Identifier: MIT
# Sourced by *.test scripts: what gmsim predicts, and conditions over it.

# metric KEY ARGUMENT...: of the first launch that gmsim reports
metric()
{
    metric_key=$1
    shift
    "$GMSIM_BUILDDIR/gmsim" "$@" --format json |
        sed -n "s/.*\"$metric_key\": \([0-9.]*\).*/\1/p" | head -n 1
}

# holds CONDITION NUMBER...: an awk condition over them
holds()
{
    holds_condition=$1
    shift
    echo "# $*"
    echo "$*" | awk "{ exit !(NF == $# && $holds_condition) }"
}
