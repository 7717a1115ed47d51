// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Countersign
package import ErrorExplanations

/// An error in the options of a command line.
package enum UsageError: Error, Hashable {
    case anchorsOnlyWithoutAnchor
    case policyBesideTrustOptions
    case fileDescriptor(Int)
    /// The environment has no variable of this name.
    case noVariable(String)
    /// The value of this option has CR, LF or NUL, which could end a line of the request.
    case forbiddenCharacter(String)
    /// The value is not valid for the option. Holds the option, and the expected form.
    case value(String, String)
    /// A file descriptor that was not open when the command started.
    case closedFileDescriptor(Int)
    /// Two options that contradict each other.
    case contradiction(String, String)
    /// Text that is not valid JSON. Holds the name of its file or option, and the position of the first invalid
    /// character, counted from 1.
    case noJSON(String, line: Int, column: Int)
    /// The value of `--proxy` cannot be used.
    case proxy(ProxyError.InvalidVariable)
    /// A single-value option was given twice. Holds its name.
    case repeated(String)
    /// `-o` was given for some of the URLs only.
    case outputs(given: Int, urls: Int)
    /// `--key` was given for some of the identities only, or more often.
    case keys(given: Int, identities: Int)
    /// Standard input has no name that could be added to a URL.
    case uploadName
    /// The command's method has no body, but an option supplies one. Holds both names.
    case noBody(String, String)
    /// The format of `--write-out` cannot be parsed. Holds the problem, and the most similar variable.
    case writeOut(String, nearest: String?)
    /// A curl option that has another name here, or is not supported. Holds a sentence that names the alternative.
    case curl(String)
    /// No error has this code. Holds the most similar one.
    case unknownCode(String, nearest: String?)
    /// An option that has no effect without another one.
    case useless(String, without: String)
    /// An option writes to a file that the command reads. Holds the option, and the path of the input.
    case overwritesInput(String, input: String)
    /// An option that another one requires was not given. Holds both names.
    case missing(String, for: String)
}

extension UsageError: CataloguedError {
    package var explanation: ErrorExplanation {
        switch self {
        case .anchorsOnlyWithoutAnchor:
            ErrorExplanation(
                .usage, "usage.no-anchor", "--trust anchors-only needs at least one --anchor FILE.",
                reason: "Without an anchor no server would be trusted.", advice: "Add --anchor FILE.")
        case .policyBesideTrustOptions:
            ErrorExplanation(
                .usage, "usage.policy-and-trust", "--policy cannot be combined with the other options about trust.",
                reason: "The policy file decides about trust for each domain.",
                advice: "Write the same in the policy file, or leave out --policy.")
        case .useless(let flag, let other):
            ErrorExplanation(
                .usage, "usage.needs-option", "\(flag.capitalizingFirstLetter) has no effect without \(other).",
                reason: "It belongs to \(other).", advice: "Add \(other), or leave \(flag) out.")
        case .overwritesInput(let option, let input):
            ErrorExplanation(
                .usage, "usage.overwrites-input", "\(option) would overwrite \(input), which the command reads.",
                reason: "Both names lead to the same file.", advice: "Write to another file.")
        case .missing(let option, let other):
            ErrorExplanation(
                .usage, "usage.missing-option", "\(other.capitalizingFirstLetter) needs \(option).",
                reason: "The two options work only together.", advice: "Add \(option).")
        case .contradiction(let one, let other):
            ErrorExplanation(
                .usage, "usage.contradiction", "\(one) and \(other) contradict each other.",
                reason: "Only one of them can apply.", advice: "Leave one of them out.")
        case .outputs(let given, let urls):
            ErrorExplanation(
                .usage, "usage.outputs",
                "--output was given \(given == 1 ? "once" : "\(given) times") for \(urls) URLs.",
                reason: "Each URL needs a separate file.",
                advice: "Give -o once for each URL, in their order, or -O for all of them.")
        case .keys(let given, let identities):
            ErrorExplanation(
                .usage, "usage.keys",
                "--key was given \(given == 1 ? "once" : "\(given) times"), and --identity \(identities == 1 ? "once" : "\(identities) times").",
                reason: "The first key belongs to the first identity, the second to the second, and so on.",
                advice: "Give --key once for each --identity; for an identity with its own key, name its file again.")
        case .uploadName:
            ErrorExplanation(
                .usage, "usage.upload-name", "Standard input has no name to add to a URL that ends in '/'.",
                reason: "An upload to a folder takes the name of the file.", advice: "Write the whole URL.")
        case .noBody(let command, let option):
            ErrorExplanation(
                .usage, "usage.no-body", "'\(command)' sends no body, so \(option) cannot be used with it.",
                reason: "Requests with this method have no content.",
                advice:
                    "Use 'countersign post' or 'put', -G to put --data into the URL's query, or 'get -X METHOD' to send a body with another method."
            )
        case .writeOut(let reason, let nearest):
            ErrorExplanation(
                .usage, "usage.write-out", "--write-out cannot be read: \(reason).",
                reason: "A variable is written as %{name}.",
                advice: nearest.map { "Did you mean %{\($0)}?" }
                    ?? "Read the list of variables with 'countersign help get'.")
        case .curl(let sentence):
            ErrorExplanation(
                .usage, "usage.curl-option", sentence,
                reason: "It is an option of curl that this command has under another name, or not at all.",
                advice: "Read the options with --help.")
        case .repeated(let option):
            ErrorExplanation(
                .usage, "usage.repeated", "\(option) was given twice.", reason: "The option has one value.",
                advice: "Leave one of them out.")
        case .noJSON(let name, let line, let column):
            ErrorExplanation(
                .usage, "usage.not-json", "\(name) is not JSON: line \(line), column \(column).",
                reason:
                    "Strings and names need double quotes, and no comma comes before a closing bracket: '{\"name\": \"value\"}'.",
                advice: "Correct the text, or send it with --data or --data-file.")
        case .proxy(let cause):
            ErrorExplanation(
                .usage, "usage.proxy", "--proxy cannot be used: \(cause.clause).",
                reason: "It takes the URL of a proxy.",
                advice: "\(cause.advice) To go without a proxy, give --no-proxy '*' instead.")
        case .fileDescriptor(let number):
            ErrorExplanation(
                .usage, "usage.file-descriptor", "\(number) is not a file descriptor.",
                reason: "File descriptors are the numbers from 0 upwards.", advice: "Write a number such as 3.")
        case .noVariable(let name):
            ErrorExplanation(
                .usage, "usage.no-variable", "The environment has no variable \(name).",
                reason: "Only exported variables reach the command.", advice: "Check its name, and export it.")
        case .forbiddenCharacter(let option):
            ErrorExplanation(
                .usage, "usage.forbidden-character", "The value of \(option) contains a line break or a NUL byte.",
                reason: "Such a byte could end a line of the request and forge the next one. Nothing was sent.",
                advice: "Remove the byte.")
        case .value(let option, let form):
            ErrorExplanation(
                .usage, "usage.value", "The value of \(option) is not valid: \(form).",
                reason: "The option takes another form.", advice: "Read the option's description with --help.")
        case .unknownCode(let code, let nearest):
            ErrorExplanation(
                .usage, "usage.unknown-code", "No error has the code \"\(code)\".",
                reason: "A code has the form stage.cause, such as connection.refused.",
                advice: nearest.map { "Did you mean \($0)?" } ?? "List the codes with 'countersign explain'.")
        case .closedFileDescriptor(let number):
            ErrorExplanation(
                .usage, "usage.closed-file-descriptor",
                "File descriptor \(number) was not open when the command started.",
                reason: "The program that starts the command has to open it.",
                advice: "In a shell, '\(number)<FILE' at the end of the command opens it.")
        }
    }

    package static var examples: [UsageError] {
        [
            .anchorsOnlyWithoutAnchor, .policyBesideTrustOptions, .useless("--continue", without: "--output"),
            .missing("--identity", for: "--listen"), .overwritesInput("--svg", input: "chain.pem"),
            .contradiction("--http1.1", "--http2"), .outputs(given: 1, urls: 2), .keys(given: 1, identities: 2),
            .uploadName, .noBody("get", "--data"),
            .writeOut("there is no variable http_cod", nearest: "http_code"),
            .curl("curl's --insecure is --trust disabled."),
            .repeated("--user"), .noJSON("--json-body", line: 1, column: 4), .proxy(.unsupportedScheme("ftp")),
            .fileDescriptor(-1),
            .noVariable("TOKEN"), .forbiddenCharacter("--user-agent"), .value("--resolve", "write HOST:PORT:ADDRESS"),
            .closedFileDescriptor(3), .unknownCode("connection.refuse", nearest: "connection.refused"),
        ]
    }
}

extension String {
    /// The text with a capital letter at its beginning.
    fileprivate var capitalizingFirstLetter: String { prefix(1).uppercased() + dropFirst() }
}
