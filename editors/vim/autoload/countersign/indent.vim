" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors

let s:key = '^\s*\zs\%("[^"]*"\|''[^'']*''\|[^ \t#''"{[,-]\S\{-}\)\ze\s*:\%(\s\|$\)'

" The indent of a line of a policy file, by what its key is; so lines that lost their indentation get it back.
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
    " A comment stands as what it is about.
    let next = nextnonblank(a:lnum + 1)
    return next == 0 ? -1 : countersign#indent#Policy(next)
  endif
  return indent(previous) + (getline(previous) =~# ':\s*\%(#.*\)\=$' ? shiftwidth() : 0)
endfunction

" How deep a key lies.
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

" An element of a list stands below its key, where the element before it does.
function! s:ItemIndent(previous) abort
  let lnum = a:previous
  while lnum > 0 && getline(lnum) =~# '^\s*\%(#.*\)\=$'
    let lnum -= 1
  endwhile
  return indent(lnum) + (getline(lnum) =~# '^\s*-\%(\s\|$\)' ? 0 : shiftwidth())
endfunction

" The key of the top that a line lies below; empty where there is none.
function! s:TopKey(lnum) abort
  let place = getpos('.')
  call cursor(a:lnum, 1)
  let found = search('^\%(default\|domains\)\s*:', 'bnW')
  call setpos('.', place)
  return matchstr(getline(found), '^\w\+')
endfunction

" The line of the innermost bracket that is open where a line begins, at most 100 lines above; 0 where none is.
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
    " A key with its value below it is in no brackets.
    if text =~# ':\s*$'
      return 0
    endif
  endfor
  return 0
endfunction

" The indent of a line of a netrc file: what belongs to an entry stands below it.
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
