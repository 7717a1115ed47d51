// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// A static Swift library for Linux has no module Testing, so this target is empty in builds with it.
#if canImport(Testing)
    public import ChallengeLab
    // A program that links this target by mistake, as the snippets of a package do, also starts without the framework.
    @_weakLinked public import Testing

    /// A trait that starts a lab before a test and stops it afterwards, also after a failure.
    ///
    /// A test with arguments has a lab for each case. The tests of a suite with the trait share one lab.
    public struct LabTrait: TestTrait, SuiteTrait, TestScoping {
        let kinds: Set<LabServer.Kind>

        /// Starts the lab, performs the test or the suite with it as `Lab.current`, and stops it.
        ///
        /// - Parameters:
        ///   - test: The test or the suite.
        ///   - testCase: The case of the test; `nil` for a suite.
        ///   - function: Performs the test or the suite.
        /// - Throws: The errors of `Lab.start(_:now:)`, which fail the test, and the error of the function.
        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
        ) async throws {
            try await Lab.withServers(kinds) { lab in
                try await Lab.$current.withValue(lab, operation: function)
            }
        }
    }

    extension Trait where Self == LabTrait {
        /// A trait that starts a lab with all servers, which takes a tenth of a second.
        public static var lab: Self { lab(Set(LabServer.Kind.allCases)) }

        /// Returns a trait that starts a lab.
        ///
        /// - Parameter kinds: The kinds of server.
        /// - Returns: The trait.
        public static func lab(_ kinds: Set<LabServer.Kind>) -> Self { LabTrait(kinds: kinds) }
    }

    extension Lab {
        /// The lab of the current test; `nil` if neither the test nor its suite has the trait `.lab`.
        ///
        /// It is a task-local value, so a detached task or a callback of a dispatch queue does not see it.
        @TaskLocal public static var current: Lab?
    }
#endif
