// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import ChallengeLab
import Challenges
import Countersign
import Identities
import PolicyFile

/// What happened, to what, and what to try next: every error that a command can end with.
struct Failure: Sendable {
    let status: CommandStatus
    /// A name that never changes, for programs.
    let code: String
    /// What happened, and to what.
    private(set) var message: String
    /// What that means; empty where the message says it.
    let reason: String
    /// What to try; empty where there is nothing.
    let advice: String
    /// What came of evaluating the server's chain, where that is why.
    var verdict: Verdict?
    /// Where in a policy file, if that is where.
    var place: PolicyFilePlace?

    init(_ status: CommandStatus, _ code: String, _ message: String, _ advice: String = "") {
        self.status = status
        self.code = code
        // Messages quote URLs that a server or a person wrote.
        self.message = Redaction.text(message).printable
        self.reason = ""
        self.advice = advice.printable
    }

    init(_ status: CommandStatus, _ explanation: ErrorExplanation) {
        self.status = status
        code = explanation.code
        message = Redaction.text(explanation.message)
        reason = explanation.reason
        advice = explanation.advice
    }

    init(_ error: any Error) {
        self =
            switch error {
            case let error as SessionError: Failure(session: error)
            case let error as IdentityError: Failure(.failed, error.explanation)
            case let error as PolicyFileError: Failure(policyFile: error)
            case let error as InspectionError: Failure(inspection: error)
            case let error as PinError: Failure(pin: error)
            case let error as NetrcError: Failure(.failed, error.explanation)
            case let error as LabError: Failure(.failed, error.explanation)
            case let error as FileError: Failure(.failed, error.explanation)
            case let error as FileTimeout:
                Failure(
                    .failed, "file-timed-out",
                    "\(error.isRead ? "Reading" : "Writing") \(error.path) took longer than --max-time allows.",
                    error.isRead
                        ? "Check that a program writes to it and then closes it, or allow more time."
                        : "Check that a program reads from it, or allow more time.")
            case let error as ExternalCommandError:
                Failure(
                    .failed, "external-command", "Cannot run \(error.path): \(error.reason).",
                    "Check who may run it, and the interpreter that its first line names.")
            case is OutputClosed: Failure(.outputClosed, "output-closed", "Standard output is read no further.")
            case let error as NamedFileError: Failure(file: error)
            case let error as AnchorFolderError: Failure(anchors: error)
            case let error as UnsafeFileError:
                Failure(
                    .failed, "unsafe-file", "Other users may have written \(error.path), which decides on trust.",
                    "Compare what is in it with a source of your own. Then make yourself the owner, and take the right to "
                        + "write from everyone else ('chmod go-w').")
            case let error as KnownServersError: Failure(servers: error)
            case let error as UsageError: Failure(usage: error)
            case let error as RemoteNameError: Failure(remoteName: error)
            case let failure as CommandFailure: failure.failure
            case is CancellationError: Failure(.interrupted, "interrupted", "Interrupted.")
            default: Failure(.failed, "unexpected", "It failed: \(error).")
            }
    }

    /// What happened, what it means and what to try, each on a line; where a file is at fault it comes first, as editors read it.
    var text: String {
        [(place?.description.printable ?? "countersign") + ": " + message, reason, advice]
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private init(file: NamedFileError) {
        self.init(file.error)
        precede(by: file.path)
    }

    /// Puts the name of what the failure is about before the message.
    mutating func precede(by subject: String) {
        message = Redaction.text("\(subject): \(message)").printable
    }

    init(pin: PinError) {
        let advice = "Write it as sha256/ and 44 characters of base64; 'get -v' prints the pins of a chain."
        switch pin {
        case .malformed(let text): self.init(.usage, "pin", "\"\(text)\" is no pin.", advice)
        case .unsupportedHash(let name): self.init(.usage, "pin", "Pins are not made with \(name).", advice)
        }
    }

    private init(anchors: AnchorFolderError) {
        switch anchors {
        case .broken(let path):
            self.init(
                .failed, "anchor-broken", "The imported anchor \(path) cannot be read.",
                "Remove the file, and import it again.")
        case .notFound(let prefix):
            self.init(
                .failed, "anchor-not-found", "No imported anchor has a fingerprint that starts with \"\(prefix)\".",
                "'countersign trust list' shows them.")
        case .ambiguous(let prefix, let count):
            self.init(
                .failed, "anchor-ambiguous",
                "\(count) imported anchors have a fingerprint that starts with \"\(prefix)\".",
                "Give more of it.")
        }
    }

    private init(servers: KnownServersError) {
        switch servers {
        case .broken(let path):
            self.init(
                .failed, "known-server-broken", "What is remembered of a server cannot be read: \(path).",
                "Compare the server's key with its owner, remove the file, and connect again.")
        case .unknown(let endpoint):
            self.init(
                .failed, "known-server-not-found", "Nothing is remembered of \(endpoint).",
                "Say the port too where it is not 443.")
        }
    }

    private init(usage: UsageError) {
        switch usage {
        case .anchorsOnlyWithoutAnchor:
            self.init(.usage, "usage", "--trust anchors-only needs at least one --anchor FILE.")
        case .policyBesideTrustOptions:
            self.init(
                .usage, "usage", "--policy does not go together with other flags on trust.",
                "Say in the policy file what they would say.")
        case .useless(let flag, let other):
            self.init(.usage, "usage", "\(flag) is of no use without \(other).", "Say \(other) too, or leave it out.")
        case .contradiction(let one, let other):
            self.init(.usage, "usage", "\(one) and \(other) do not go together.", "Leave one of them out.")
        case .outputs(let given, let urls):
            self.init(
                .usage, "usage", "--output was given \(given == 1 ? "once" : "\(given) times") for \(urls) URLs.",
                "Give -o once for each URL, in their order, or -O for all of them.")
        case .uploadName:
            self.init(
                .usage, "usage", "Standard input has no name to add to a URL that ends in '/'.",
                "Write the whole URL.")
        case .noBody(let command, let option):
            self.init(
                .usage, "usage", "'\(command)' sends no body, so \(option) has no place in it.",
                "'countersign post' or put sends one; -G puts --data into the URL's query; 'get -X METHOD' sends one with another method."
            )
        case .writeOut(let reason, let nearest):
            self.init(
                .usage, "usage", "--write-out cannot be read: \(reason).",
                nearest.map { "Did you mean %{\($0)}?" } ?? "'countersign help get' lists the variables.")
        case .curl(let sentence):
            self.init(.usage, "usage", sentence)
        case .repeated(let option):
            self.init(.usage, "usage", "\(option) was given twice.", "It has one value: leave one of them out.")
        case .noJSON(let name):
            self.init(
                .usage, "usage", "\(name) is no JSON.",
                "Strings and names need double quotes: '{\"name\": \"value\"}'. --data and --data-file send anything.")
        case .proxy(let reason):
            self.init(.usage, "usage", "--proxy cannot be used: \(reason.text).", reason.advice)
        case .fileDescriptor(let number):
            self.init(.usage, "usage", "\(number) is no file descriptor.")
        case .noVariable(let name):
            self.init(
                .usage, "usage", "The environment has no variable \(name).", "Check its name, and that it is exported.")
        case .forbiddenCharacter(let option):
            self.init(
                .usage, "forbidden-character", Self.forbiddenCharacter(in: "the value of \(option)"),
                Self.forbiddenAdvice)
        case .value(let option, let form):
            self.init(.usage, "usage", "\(option) cannot take this value: \(form).")
        case .closedFileDescriptor(let number):
            self.init(
                .usage, "usage", "File descriptor \(number) was not open when the command started.",
                "In a shell, '\(number)<FILE' at the end of the command opens it.")
        }
    }
}

/// A failure that only a command can describe.
struct CommandFailure: Error {
    let failure: Failure
    var circumstances: Circumstances?
}
