// SPDX-License-Identifier: Apache-2.0

import ChallengeLab

@main struct X {
    static func main() async throws {
        let lab = try await Lab.start()
        for s in lab.servers { print(s.name, s.url) }
        print(try lab.writeFiles(to: "/tmp/labfiles"))
        try await Task.sleep(for: .seconds(20))
        try await lab.stop()
    }
}
