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
  let top = a:lnum - 1
  while top > 0 && getline(top) !~# '^\(default\|domains\)\s*:'
    let top -= 1
  endwhile
  if top == 0
    return 0
  endif
  let entry = getline(top) =~# '^default' ? 1 : 2
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

" The line of the innermost bracket that is open where a line begins; 0 where none is.
function! s:OpenBracket(lnum) abort
  let place = getpos('.')
  call cursor(a:lnum, 1)
  let skip = 'synIDattr(synID(line("."), col("."), 1), "name") =~# "Comment\\|String"'
  let found = searchpair('[[{]', '', '[]}]', 'bnW', skip, max([1, a:lnum - 100]))
  call setpos('.', place)
  return found == a:lnum ? 0 : found
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
