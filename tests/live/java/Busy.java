// SPDX-License-Identifier: BSD-2-Clause
/** Threads that do nothing but compute; each second prints how far they are: `progress NS COUNT`. Arguments: seconds threads. */
import java.util.concurrent.atomic.AtomicLongArray;

public class Busy {
	private static volatile long sink;

	public static void main(String[] args) throws InterruptedException {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		int threads = args.length > 1 ? Integer.parseInt(args[1]) : 1;
		AtomicLongArray counts = new AtomicLongArray(threads * 16);

		for (int i = 0; i < threads; i++) {
			int me = i * 16; // a cache line of its own

			new Thread(() -> compute(end, counts, me), "busy-" + i).start();
		}
		while (System.nanoTime() < end) {
			long sum = 0;

			Thread.sleep(200);
			for (int i = 0; i < threads; i++)
				sum += counts.get(i * 16);
			System.out.println("progress " + System.nanoTime() + " " + sum);
		}
	}

	private static void compute(long end, AtomicLongArray counts, int me) {
		long x = 1;

		while (System.nanoTime() < end) {
			for (int i = 0; i < 10_000; i++)
				x = x * 31 + i;
			counts.lazySet(me, counts.get(me) + 1);
		}
		sink = x;
	}
}
