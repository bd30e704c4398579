# Completion for clemcc, clem-run, clem-info and clem-bench: their options, as their --help tells them, and files.
# SPDX-License-Identifier: Apache-2.0
_clem_complete() {
    local current=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]##*/}
    COMPREPLY=()
    if [ "$program" = clem-run ] && [ "$COMP_CWORD" -gt 1 ] && declare -F _command_offset >/dev/null; then
        _command_offset 1
        return
    fi
    if [[ $current == -* ]]; then
        local options
        options=$("${COMP_WORDS[0]}" --help 2>/dev/null | grep -oE '(^|[ ,[|])--?[a-zA-Z][a-zA-Z0-9_-]*=?' | tr -d ' ,[|' | sort -u)
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        [[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2>/dev/null
        return
    fi
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
}
complete -F _clem_complete clemcc clem-run clem-info clem-bench
