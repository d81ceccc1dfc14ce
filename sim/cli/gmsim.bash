# SPDX-License-Identifier: MIT
# bash completion for gmsim
_gmsim()
{
    local cur prev words cword
    _init_completion -n = || return

    case $prev in
    --trace | -t)
        _filedir trc
        return
        ;;
    --gpu | -g)
        _filedir ini
        COMPREPLY+=($(compgen -W "$(gmsim gpus 2>/dev/null | sed '1d; s/ .*//')" -- "$cur"))
        return
        ;;
    --format | -f)
        COMPREPLY=($(compgen -W "text json csv" -- "$cur"))
        return
        ;;
    --caches)
        COMPREPLY=($(compgen -W "cold warm" -- "$cur"))
        return
        ;;
    --color)
        COMPREPLY=($(compgen -W "auto always never" -- "$cur"))
        return
        ;;
    --output | -o)
        _filedir
        return
        ;;
    --kernel | -k | --launch | -n | --set)
        return
        ;;
    gpus)
        COMPREPLY=($(compgen -W "$(gmsim gpus 2>/dev/null | sed '1d; s/ .*//')" -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "--trace --gpu --set --kernel --launch --format --output --caches
            --functional --verbose --quiet --color --version --help" -- "$cur"))
        return
    fi
    _filedir trc
    ((cword == 1)) && COMPREPLY+=($(compgen -W "gpus" -- "$cur"))
} && complete -F _gmsim gmsim
