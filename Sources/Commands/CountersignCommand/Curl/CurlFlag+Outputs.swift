// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension CurlFlag {
    /// Where the answer goes, and what is printed.
    static let outputs: [CurlFlag] = [
        .written("append", "a", as: ">> FILE", note: "the shell appends to a file"),
        .refused("create-dirs", because: "'mkdir -p' makes folders before"),
        .refused("create-file-mode", because: "'umask' sets the rights of new files"),
        .same("dump-header", "D", note: "of the final response"),
        .same("fail", "f", note: "a status of 400 or more exits with 1 or 4 in any case"),
        .same("fail-early"),
        .same("fail-with-body"),
        .written("continue-at", "C", as: "-C", note: "without a value: it resumes what an earlier run with -C left"),
        .same("include", "i", note: "of the final response"),
        .refused("limit-rate", because: "transfers run at full speed"),
        .refused("rate", because: "requests are not spread over time"),
        .written("manual", "M", as: "countersign help get"),
        .refused("max-filesize", because: "'ulimit -f' limits the size of files"),
        .written(
            "next", ":", as: "countersign get URL && countersign get URL", note: "one command has one set of options"),
        .refused("no-buffer", "N", because: "output is never held back"),
        .refused("no-clobber", because: "-O never replaces a file without --clobber, and -o always does"),
        .written("no-progress-meter", as: "--silent"),
        .same("output", "o", note: "once for each URL; a file is replaced when the body is complete"),
        .refused("output-dir", because: "'cd' there before"),
        .same("parallel", "Z", note: "with -O or -o for each URL"),
        .refused("parallel-immediate", because: "connections are shared wherever HTTP/2 allows"),
        .same("parallel-max", note: "8 without it"),
        .refused("progress-bar", "#", because: "progress is always one line with a bar"),
        .same("remote-header-name", "J", note: "with -O"),
        .same("remote-name", "O", note: "a file that exists needs --clobber"),
        .written("remote-name-all", as: "-O"),
        .refused(
            "remote-time", "R", because: "'touch -d' sets the time of a file, and -w '%header{last-modified}' prints it"
        ),
        .refused("remove-on-error", because: "nothing half is ever left, so leave it out"),
        .same("show-error", "S", note: "it is the default"),
        .same("silent", "s", note: "errors are printed all the same"),
        .written("stderr", as: "2> FILE", note: "the shell redirects standard error"),
        .refused("styled-output", because: "heads are printed without style"),
        .refused("suppress-connect-headers", because: "a proxy's answers to CONNECT are never printed"),
        .same("trace", note: "the file is HAR, without secrets"),
        .written("trace-ascii", as: "--trace FILE"),
        .refused("trace-time", because: "the file of --trace has times"),
        .same("verbose", "v"),
        .same("write-out", "w", note: "the variables that the help of get lists"),
        .refused("xattr", because: "files get no attributes"),
        .refused("libcurl", because: "there is no libcurl code to print"),
        .refused("metalink", because: "no metalink files are read"),
    ]
}
