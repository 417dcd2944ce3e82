// SPDX-License-Identifier: BSD-2-Clause
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What a request asks for, the same in every server, and the timer that a server would have: from when its handler is called to when the
 * answer was handed over. Paths: / (a small answer), /sleep?ms=N, /gc, /db?ms=N, /locked, /hold?ms=N, /spin?ms=N,
 * /ask.
 */
final class Work {
	private static final byte[] OK = "ok\n".getBytes(StandardCharsets.US_ASCII);

	/** Hands the answer to the server. */
	interface Reply {
		void send(int status, byte[] body) throws IOException;
	}

	private final Timer timer = new Timer("request");
	private final Database database = Database.fromProperties();
	private final Peer peer = Peer.fromProperties();
	private final Object lock = new Object();
	private final Object live = live(Integer.getInteger("live", 0));
	private int counter;

	void handle(String path, String query, Reply reply) throws IOException {
		long begin = System.nanoTime();

		try {
			reply.send(perform(path, query), OK);
		} finally {
			timer.add(System.nanoTime() - begin);
		}
	}

	void handle(String target, Reply reply) throws IOException {
		int mark = target.indexOf('?');

		handle(mark < 0 ? target : target.substring(0, mark), mark < 0 ? null : target.substring(mark + 1), reply);
	}

	void report() {
		timer.report();
		if (database != null)
			database.report();
	}

	private int perform(String path, String query) {
		switch (path) {
		case "/":
			return 200;
		case "/sleep":
			sleep(number(query));
			return 200;
		case "/gc":
			System.gc();
			return 200;
		case "/locked":
			locked();
			return 200;
		case "/hold":
			hold(number(query));
			return 200;
		case "/spin":
			spin(number(query));
			return 200;
		case "/ask":
			return peer != null && peer.ask() ? 200 : 500;
		case "/db":
			return database != null && database.sleep(number(query)) ? 200 : 500;
		default:
			return 404;
		}
	}

	private static void sleep(long ms) {
		long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);

		for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime())
			LockSupport.parkNanos(left);
	}

	private void locked() {
		synchronized (lock) {
			counter++;
		}
	}

	private void hold(long ms) {
		synchronized (lock) {
			sleep(ms);
		}
	}

	private static void spin(long ms) {
		long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);

		while (System.nanoTime() < until)
			Thread.onSpinWait();
	}

	/** Small objects, so many million bytes of them, for a collection that takes its time. */
	private static Object live(int megabytes) {
		byte[][] all = new byte[megabytes * 10000][];

		for (int i = 0; i < all.length; i++)
			all[i] = new byte[80];
		return all;
	}

	/** The N of "ms=N", 0 where there is none. */
	private static long number(String query) {
		return query != null && query.matches("ms=\\d{1,6}") ? Long.parseLong(query.substring(3)) : 0;
	}
}
