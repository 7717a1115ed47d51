// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Asks for a resource until it is as it should be.
struct Poll {
    private static let usual = Duration.seconds(1)
    private static let longest = Duration.seconds(60)

    let account: ACMEAccount
    let deadline: ContinuousClock.Instant

    /// Waits as long as the authority says by Retry-After, in seconds or as a date, or a second where it says nothing.
    func wait<Resource: Decodable>(
        for url: String, as type: Resource.Type, until isDone: (Resource) -> Bool
    ) async throws -> Resource {
        let start = ContinuousClock.now
        while true {
            let reply = try await account.post([], to: url)
            let resource = try reply.decode(type)
            if isDone(resource) { return resource }
            let pause = min(max(reply.retryAfter ?? Self.usual, .milliseconds(100)), Self.longest)
            guard ContinuousClock.now + pause < deadline else {
                throw ACMEClientError.tookTooLong(seconds: Int((deadline - start).components.seconds))
            }
            try await Task.sleep(for: pause)
        }
    }
}
