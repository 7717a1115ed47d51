// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// The resources that remain after all sessions were closed.
struct RemainingResources: CustomStringConvertible {
    let connections: Int
    let tasks: Int
    let uploads: Int
    let files: Int

    var isEmpty: Bool { connections == 0 && tasks == 0 && uploads == 0 && files == 0 }

    var description: String {
        "left behind: \(connections) connections, \(tasks) tasks, \(uploads) uploads, \(files) open files"
    }

    /// Counts the resources, after waiting for those that are still being released.
    static func count(
        _ scene: LoadScene, _ tally: Tally, _ parts: CountedParts.Count, openFilesBefore: Int
    ) async -> RemainingResources {
        func now() -> RemainingResources {
            RemainingResources(
                connections: scene.openConnectionCount, tasks: tally.running, uploads: parts.value,
                files: max(0, OpenFiles.count - openFilesBefore))
        }
        _ = await eventually { now().isEmpty }
        return now()
    }

    static func eventually(_ condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            if condition() { return true }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return condition()
    }
}

/// The open files and sockets of the process.
enum OpenFiles {
    #if os(Linux)
        private static let folder = "/proc/self/fd"
    #else
        private static let folder = "/dev/fd"
    #endif

    /// The number of open files, without pipes and timers, of which a session opens none.
    ///
    /// A sanitizer starts a symbolizer with two pipes, and the system library opens a timer of each kind when a task
    /// first needs it. An event loop has other kinds of files too.
    static var count: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { !isOthers("\(folder)/\($0)") }
    }

    private static func isOthers(_ path: String) -> Bool {
        let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? ""
        return target.hasPrefix("pipe:") || target == "anon_inode:[timerfd]"
    }
}
