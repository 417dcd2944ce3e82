// SPDX-License-Identifier: BSD-2-Clause
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Load for the server, from a process of its own: so many requests a second, each sent when it is due, whether or not
 * earlier ones were answered, as long as a connection is free. Response times are counted from when it was due.
 * The first seconds, in which both sides are still being compiled, are not counted.
 * Arguments: port, requests a second, seconds, seconds of them not counted.
 */
public class Load {
	static final int CONNECTIONS = 64;

	static final Semaphore free = new Semaphore(CONNECTIONS);
	static final ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
	static final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

	static double milliseconds(long[] sorted, double share) {
		return sorted.length == 0 ? Double.NaN : sorted[(int) Math.min(sorted.length - 1, share * sorted.length)] / 1e6;
	}

	public static void main(String[] args) throws Exception {
		long interval = (long) (1e9 / Double.parseDouble(args[1]));
		long begin = System.nanoTime(), end = begin + (long) (1e9 * Double.parseDouble(args[2]));
		long warm = begin + (long) (1e9 * Double.parseDouble(args[3]));
		HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + args[0] + "/")).build();
		long counted = 0;

		for (long due = begin; due < end; due += interval) {
			while (System.nanoTime() < due)
				LockSupport.parkNanos(due - System.nanoTime());
			long intended = due;
			boolean counts = due >= warm;
			counted += counts ? 1 : 0;
			free.acquire();
			client.sendAsync(request, BodyHandlers.ofByteArray()).whenComplete((response, failure) -> {
				free.release();
				if (!counts)
					return;
				if (failure == null)
					times.add(System.nanoTime() - intended);
				else
					failures.add(failure);
			});
		}
		for (int i = 0; i < 100 && times.size() + failures.size() < counted; i++)
			Thread.sleep(50);
		long[] sorted = times.stream().mapToLong(Long::longValue).sorted().toArray();
		System.out.printf("requests sent %d, answered %d, failed %d; response time p50 %.2f ms, p99 %.2f ms, max %.2f ms%n",
				counted, sorted.length, failures.size(), milliseconds(sorted, 0.5), milliseconds(sorted, 0.99), milliseconds(sorted, 1));
		if (!failures.isEmpty())
			System.out.println("the first failure: " + failures.peek());
		System.exit(sorted.length == 0 ? 1 : 0);
	}
}
