" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors

if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=countersign#indent#Policy(v:lnum) indentkeys=!^F,o,O,<:>,0-,0],0} nolisp autoindent
let b:undo_indent = 'setlocal indentexpr< indentkeys< lisp< autoindent<'
