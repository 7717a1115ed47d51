" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors

let s:key = '^\s*\zs\%("[^"]*"\|''[^'']*''\|[^ \t#''"{[,-]\S\{-}\)\ze\s*:\%(\s\|$\)'

" Returns the indent of a line of a policy file, by its key; this restores lost indentation.
function! countersign#indent#Policy(lnum) abort
  let line = getline(a:lnum)
  let previous = prevnonblank(a:lnum - 1)
  if previous == 0
    return 0
  endif
  let bracket = s:OpenBracket(a:lnum)
  if bracket > 0
    return indent(bracket) + (line =~# '^\s*[]}]' ? 0 : shiftwidth())
  endif
  let key = matchstr(line, s:key)
  if key !=# ''
    return s:Level(key, a:lnum) * shiftwidth()
  elseif line =~# '^\s*-\%(\s\|$\)'
    return s:ItemIndent(previous)
  elseif line =~# '^\s*#'
    " A comment has the indent of the following line.
    let next = nextnonblank(a:lnum + 1)
    return next == 0 ? -1 : countersign#indent#Policy(next)
  endif
  return indent(previous) + (getline(previous) =~# ':\s*\%(#.*\)\=$' ? shiftwidth() : 0)
endfunction

" Returns the nesting level of a key.
function! s:Level(key, lnum) abort
  if a:key =~# '^\(version\|default\|domains\)$'
    return 0
  endif
  let top = s:TopKey(a:lnum)
  if top ==# ''
    return 0
  endif
  let entry = top ==# 'default' ? 1 : 2
  if has_key(countersign#ServerKeys(), a:key)
    return entry
  endif
  return has_key(countersign#PartKeys(), a:key) ? entry + 1 : 1
endfunction

" A list element is below its key, at the indent of the previous element.
function! s:ItemIndent(previous) abort
  let lnum = a:previous
  while lnum > 0 && getline(lnum) =~# '^\s*\%(#.*\)\=$'
    let lnum -= 1
  endwhile
  return indent(lnum) + (getline(lnum) =~# '^\s*-\%(\s\|$\)' ? 0 : shiftwidth())
endfunction

" Returns the top-level key above a line; empty if there is none.
function! s:TopKey(lnum) abort
  let place = getpos('.')
  call cursor(a:lnum, 1)
  let found = search('^\%(default\|domains\)\s*:', 'bnW')
  call setpos('.', place)
  return matchstr(getline(found), '^\w\+')
endfunction

" Returns the line of the innermost bracket that is open at the start of a line, at most 100 lines above; 0 if there is none.
function! s:OpenBracket(lnum) abort
  let open = 0
  for lnum in range(a:lnum - 1, max([1, a:lnum - 100]), -1)
    let text = substitute(getline(lnum), '"\%([^"\\]\|\\.\)*"\|''[^'']*''\|\%(^\|\s\)#.*', '', 'g')
    for character in reverse(split(substitute(text, '[^][{}]', '', 'g'), '\zs'))
      let open += character =~# '[[{]' ? 1 : -1
      if open > 0
        return lnum
      endif
    endfor
    " A key with its value on the following lines is not in brackets.
    if text =~# ':\s*$'
      return 0
    endif
  endfor
  return 0
endfunction

" Returns the indent of a line of a netrc file: the lines of an entry are indented.
function! countersign#indent#Netrc(lnum) abort
  let line = getline(a:lnum)
  if synIDattr(synID(a:lnum, 1, 1), 'name') ==# 'netrcMacro' || line =~# '^\s*#'
    return -1
  elseif line =~? '^\s*\%(machine\|default\|macdef\)\>'
    return 0
  endif
  let previous = prevnonblank(a:lnum - 1)
  if previous == 0 || (line !~# '\S' && previous < a:lnum - 1)
    return 0
  endif
  return getline(previous) =~? '^\s*\%(machine\|default\)\>' ? shiftwidth() : indent(previous)
endfunction
