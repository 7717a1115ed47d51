" SPDX-License-Identifier: Apache-2.0
" SPDX-FileCopyrightText: The Countersign authors

autocmd BufNewFile,BufRead *.yaml,*.yml call countersign#DetectPolicy()
autocmd BufNewFile,BufRead .netrc,_netrc,*.netrc setfiletype netrc
autocmd BufNewFile,BufRead *.pem,*.crt,*.cer,*.csr,*.key,*.crl call countersign#DetectPEM()
