" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors
"
" Answers the questions of scripts/check/editors. The file $COUNTERSIGN_QUESTIONS contains a JSON list of lists, each with a function name
" and its arguments. The answers are written as a list to $COUNTERSIGN_ANSWERS; an error message takes the place of a failed answer.

set nocompatible encoding=utf-8 hidden noswapfile viminfo= nomore t_Co=256 shortmess+=F
packloadall
filetype plugin indent on
syntax on

function! s:Detect(name, lines) abort
  call writefile(a:lines, a:name)
  execute 'edit!' fnameescape(a:name)
  return &filetype
endfunction

" Returns the groups at [line, column in bytes], and the groups that they link to.
function! s:Groups(file, places) abort
  execute 'edit!' fnameescape(a:file)
  return map(copy(a:places), 'synIDattr(synID(v:val[0], v:val[1], 1), "name")')
endfunction

function! s:Options(file, names) abort
  execute 'edit!' fnameescape(a:file)
  return map(copy(a:names), 'eval("&l:" . v:val)')
endfunction

" Returns the lines after '=' has indented all of them.
function! s:Indent(name, lines) abort
  execute 'edit!' fnameescape(a:name)
  silent %delete _
  call setline(1, a:lines)
  silent normal! gg=G
  return getline(1, '$')
endfunction

" Returns the lines that result from typing the given lines one after the other.
function! s:Type(name, lines) abort
  execute 'edit!' fnameescape(a:name)
  silent %delete _
  call feedkeys('i' . join(a:lines, "\<CR>") . "\<Esc>", 'ntx')
  return getline(1, '$')
endfunction

" Returns whether another filetype resets the local settings of the buffer.
function! s:Undo(file, names) abort
  execute 'edit!' fnameescape(a:file)
  setlocal filetype=none
  let left = map(copy(a:names), 'eval("&" . v:val) ==# eval("&g:" . v:val)')
  execute 'edit!' fnameescape(a:file)
  return left
endfunction

" Returns the cursor position after :make, in bytes, and the list of errors.
function! s:Make(file) abort
  execute 'edit!' fnameescape(a:file)
  silent make
  let list = map(filter(getqflist(), 'v:val.valid'), '[v:val.lnum, v:val.type, v:val.text]')
  return {'line': line('.'), 'column': col('.'), 'rest': strpart(getline('.'), col('.') - 1), 'list': list}
endfunction

function! s:Help(folder, tags) abort
  execute 'helptags' fnameescape(a:folder)
  for tag in a:tags
    execute 'help' tag
    let missing = index(split(getline('.'), '\s\+'), '*' . tag . '*') < 0 && expand('%:t') ==# 'countersign.txt'
    helpclose
    if missing
      throw tag . ' is not on the line that help goes to'
    endif
  endfor
  return len(a:tags)
endfunction

" Returns the colors of every group, including the groups of the files, in true color and in 256 colors.
function! s:Colours(scheme, files) abort
  for file in a:files
    execute 'edit!' fnameescape(file)
  endfor
  execute 'colorscheme' a:scheme
  let colours = {'background': &background, 'name': g:colors_name}
  " Completion omits groups that are only links to other groups.
  let groups = map(split(execute('highlight'), "\n"), 'matchstr(v:val, ''^\S\+\ze\s\+xxx'')')
  for group in filter(groups, 'v:val !=# ""')
    let id = synIDtrans(hlID(group))
    let colours[group] = [synIDattr(id, 'name')]
    for mode in ['gui', 'cterm']
      call extend(colours[group], map(['fg#', 'bg#', 'reverse'], 'synIDattr(id, v:val, mode)'))
      if mode ==# 'cterm'
        let colours[group][4:5] = map(['fg', 'bg'], 'synIDattr(id, v:val, "cterm")')
      endif
    endfor
  endfor
  return colours
endfunction

function! s:Answer(question) abort
  let v:errmsg = ''
  try
    let answer = call('s:' . a:question[0], a:question[1:])
  catch
    return {'wrong': v:exception . ' at ' . v:throwpoint}
  endtry
  let messages = filter(split(execute('messages'), "\n"), 'v:val =~# ''^E\d\+:\|^W\d\+:\|Warning''')
  return v:errmsg ==# '' && empty(messages) ? {'answer': answer} : {'wrong': v:errmsg . ' ' . join(messages)}
endfunction

let s:questions = json_decode(join(readfile($COUNTERSIGN_QUESTIONS), "\n"))
call writefile([json_encode(map(s:questions, 's:Answer(v:val)'))], $COUNTERSIGN_ANSWERS)
qall!
