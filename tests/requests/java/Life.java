// SPDX-License-Identifier: BSD-2-Clause
import java.io.IOException;

/** A test server's life: it says its port, serves until its standard input ends or its time is over, and reports. */
final class Life {
	private Life() {
	}

	interface Stop {
		void run() throws Exception;
	}

	/** Blocks until the end, then calls stop and lets work report. args: seconds to live at most (60). */
	static void live(String[] args, int port, Work work, Stop stop) throws Exception {
		limit(args.length > 0 ? Long.parseLong(args[0]) : 60);
		System.out.println("port " + port);
		awaitEnd();
		stop.run();
		work.report();
		System.out.println("done");
		System.out.flush();
		Runtime.getRuntime().halt(0); // some servers leave threads behind
	}

	/** Also an end that hangs is ended. */
	private static void limit(long seconds) {
		Thread end = new Thread(() -> {
			try {
				Thread.sleep(seconds * 1000);
			} catch (InterruptedException e) {
				return;
			}
			System.err.println("its time is over");
			Runtime.getRuntime().halt(3);
		}, "life");

		end.setDaemon(true);
		end.start();
	}

	private static void awaitEnd() throws IOException {
		while (System.in.read() >= 0)
			continue;
	}
}
