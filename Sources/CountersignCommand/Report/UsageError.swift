// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

/// Flags that do not go together.
enum UsageError: Error, Hashable {
    case anchorsOnlyWithoutAnchor
    case policyBesideTrustOptions
    case fileDescriptor(Int)
    /// The environment has no variable of this name.
    case noVariable(String)
    /// The value of this option has CR, LF or NUL, which could end a line of the request.
    case forbiddenCharacter(String)
    /// A value that an option cannot take, and how to write it.
    case value(String, String)
    /// A file descriptor that was not open when the command started.
    case closedFileDescriptor(Int)
    /// Two flags of which one says the opposite of the other.
    case contradiction(String, String)
    /// Text that was to be JSON. Holds the name of its file or option.
    case noJSON(String)
    /// What `--proxy` says cannot be used.
    case proxy(SessionError.InvalidProxyVariable)
    /// An option that has one value was given two. Holds its name.
    case repeated(String)
    /// `-o` was given for some of the URLs only.
    case outputs(given: Int, urls: Int)
    /// Standard input has no name that could be added to a URL.
    case uploadName
    /// The command's method has no body, and an option gives one. Holds both names.
    case noBody(String, String)
    /// The format of `--write-out` cannot be read. Holds what is wrong, and the variable that may be meant.
    case writeOut(String, nearest: String?)
    /// An option of curl's that has another name here, or is missing on purpose. Holds a sentence that names the way to go.
    case curl(String)
    /// A flag that does nothing without another one.
    case useless(String, without: String)
}
